# tests of scene
