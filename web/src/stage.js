// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The stage: canvas, camera, lights, ground. It draws when something changed, and not otherwise: in
// a hurry while things move, and as fine as it can when they have come to rest.

import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { LEVELS, Pace } from './pace.js';
import { Light } from './quick.js';

// ms without a change, after which things are at rest
const REST = 300;
// beside the levels of the pace: a picture to keep. Where the processor draws, which smooths no
// edges, it is drawn twice as wide and high, and the browser makes it smaller.
const STILL = -1;

const THEMES = {
    dark: { background: 0x16191e, grid: 0x2a3038, line: 0xc8d4e4, sky: 0xdfe8f5, earth: 0x3a3d42 },
    light: { background: 0xf2f4f7, grid: 0xd3d9e1, line: 0x1a2433, sky: 0xffffff, earth: 0x9a9ea6 },
};

// whether pictures are drawn without a graphics card, where smooth edges cost more than the rest
function drawsInSoftware() {
    const gl = document.createElement('canvas').getContext('webgl2');
    const info = gl?.getExtension('WEBGL_debug_renderer_info');
    const name = info ? gl.getParameter(info.UNMASKED_RENDERER_WEBGL) : '';
    gl?.getExtension('WEBGL_lose_context')?.loseContext();
    return /swiftshader|llvmpipe|softpipe|software/i.test(name);
}

export class Stage {
    constructor(canvas) {
        this.canvas = canvas;
        this.software = drawsInSoftware();
        // nothing shines through the canvas, which spares the browser to look
        this.renderer = new THREE.WebGLRenderer({ canvas, antialias: !this.software, alpha: false,
            powerPreference: 'high-performance' });
        this.pace = new Pace(this.software ? 1 : 0);
        this.level = null; // at which the last picture was drawn
        this.scene = new THREE.Scene();
        this.scene.background = new THREE.Color();
        this.camera = new THREE.PerspectiveCamera(40, 1, 0.01, 100);
        this.controls = new OrbitControls(this.camera, canvas);
        this.controls.addEventListener('change', () => this.invalidate());
        this.sky = new THREE.HemisphereLight(0xffffff, 0x444444, 1.3);
        this.sun = new THREE.DirectionalLight(0xffffff, 1.8);
        this.fill = new THREE.DirectionalLight(0xffffff, 0.5);
        this.scene.add(this.sky, this.camera);
        // light from over the shoulder, wherever one looks from
        this.camera.add(this.sun, this.sun.target, this.fill, this.fill.target);
        this.sun.position.set(0.4, 0.8, 1);
        this.fill.position.set(-1, 0.2, 0.5);
        this.light = new Light(this);
        this.center = new THREE.Vector3();
        this.size = 1;
        this.drawn = 0;
        this.beforeDraw = () => {}; // given whether light is to be at vertices
        this.afterCall = () => {};
        this.early = false; // a picture was drawn since the browser's last call
        this.changed = 0; // when something last did
        this.drawSeconds = 0;
        new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
        this.setTheme('dark');
        this.resize();
        const loop = (now) => {
            requestAnimationFrame(loop);
            this.call(now);
        };
        requestAnimationFrame(loop);
    }

    invalidate() {
        this.dirty = true;
    }

    // The browser calls for a picture. It also waits, where the processor draws, until the one
    // before is done, and calls again before it tells of what came meanwhile: that is drawn at once.
    call(now) {
        const early = this.early;
        const picture = early || this.dirty;
        this.early = false;
        this.changed = picture ? now : this.changed;
        this.pace.call(now, picture);
        if (this.dirty && !early) {
            this.draw(this.pace.level);
        } else if (now - this.changed > REST && this.level !== STILL) {
            this.draw(STILL);
        }
        this.afterCall();
    }

    // draws what has just come, unless a picture already waits to be seen
    drawEarly() {
        this.invalidate();
        if (!this.early) {
            this.early = true;
            this.draw(this.pace.level);
        }
    }

    draw(level = STILL) {
        this.dirty = false;
        const begin = performance.now();
        this.setLevel(level);
        this.beforeDraw(level !== STILL && LEVELS[level].quick);
        this.renderer.render(this.scene, this.camera);
        this.drawSeconds = (performance.now() - begin) / 1000;
        ++this.drawn;
    }

    setLevel(level) {
        if (level !== this.level) {
            this.level = level;
            const scale = level === STILL ? (this.software ? 2 : 1) : LEVELS[level].scale;
            this.renderer.setPixelRatio(scale *
                (this.software ? 1 : Math.min(devicePixelRatio, 2)));
        }
    }

    resize() {
        const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
        this.renderer.setSize(width, height, false);
        this.camera.aspect = width / Math.max(1, height);
        this.camera.updateProjectionMatrix();
        this.pace.reset(this.software ? 1 : 0);
        this.invalidate();
    }

    setTheme(name) {
        const theme = THEMES[name];
        this.scene.background.set(theme.background);
        this.sky.color.set(theme.sky);
        this.sky.groundColor.set(theme.earth);
        this.lineColor = theme.line;
        if (this.grid) {
            this.grid.material.color.set(theme.grid);
        }
        this.theme = theme;
        this.invalidate();
    }

    // box of points [x, y, z ...]
    static boxOf(points) {
        const box = new THREE.Box3();
        const point = new THREE.Vector3();
        for (let i = 0; i < points.length; i += 3) {
            box.expandByPoint(point.fromArray(points, i));
        }
        return box.isEmpty() ? box.set(point.setScalar(-0.5), point.clone().negate()) : box;
    }

    // the first look, as the scene has it or fitted to what is there
    place(camera, points) {
        const box = Stage.boxOf(points);
        box.getCenter(this.center);
        this.size = box.getSize(new THREE.Vector3()).length() || 1;
        this.camera.fov = camera.field_of_view;
        this.camera.near = this.size / 500;
        this.camera.far = this.size * 100;
        this.camera.up.fromArray(camera.up).normalize();
        this.sky.position.copy(this.camera.up);
        this.placeGrid(box);
        this.home = camera;
        this.goHome(points);
    }

    goHome(points) {
        const camera = this.home;
        if (camera.fitted) {
            this.fit(points, camera.azimuth, camera.elevation);
        } else {
            this.camera.position.fromArray(camera.eye);
            this.controls.target.fromArray(camera.target);
        }
        this.camera.updateProjectionMatrix();
        this.controls.update();
        this.invalidate();
    }

    fit(points, azimuth, elevation) {
        const box = Stage.boxOf(points);
        const sphere = box.getBoundingSphere(new THREE.Sphere());
        const half = THREE.MathUtils.degToRad(this.camera.fov) / 2;
        // what is narrower counts
        const narrow = Math.atan(Math.tan(half) * Math.min(1, this.camera.aspect));
        const room = this.camera.aspect < 1 ? 1.12 : 1.3;
        const distance = room * sphere.radius / Math.sin(narrow);
        const turn = THREE.MathUtils.degToRad(azimuth);
        const lift = THREE.MathUtils.degToRad(elevation);
        // azimuths 0 and 90 as pictures of the command have them: z and x for y, x and y for z
        const axis = (i) => new THREE.Vector3().setComponent(i % 3, 1);
        const up = this.camera.up.toArray().map(Math.abs);
        const k = up.indexOf(Math.max(...up));
        const way = axis(k + 1).multiplyScalar(Math.cos(turn))
            .addScaledVector(axis(k + 2), Math.sin(turn)).multiplyScalar(Math.cos(lift))
            .addScaledVector(this.camera.up, Math.sin(lift));
        // a little high: most things fall, and the bar is below
        this.controls.target.copy(sphere.center)
            .addScaledVector(this.camera.up, -0.15 * sphere.radius);
        this.camera.position.copy(this.controls.target).addScaledVector(way, distance);
    }

    // a ground under the body, a round number of squares wide
    placeGrid(box) {
        if (this.grid) {
            this.scene.remove(this.grid);
            this.grid.geometry.dispose();
        }
        const step = 10 ** Math.round(Math.log10(this.size / 6));
        const count = 2 * Math.ceil(2 * this.size / step);
        this.grid = new THREE.GridHelper(count * step, count, 0xffffff, 0xffffff);
        this.grid.material.vertexColors = false;
        this.grid.material.color.set(this.theme.grid);
        const up = new THREE.Vector3(0, 1, 0);
        this.grid.quaternion.setFromUnitVectors(up, this.camera.up);
        const drop = 0.6 * this.size;
        const along = (v) => v.dot(this.camera.up);
        const low = Math.min(along(box.min), along(box.max));
        this.grid.position.copy(this.center)
            .addScaledVector(this.camera.up, low - along(this.center) - drop);
        this.scene.add(this.grid);
    }

    // ray of a pointer
    rayAt(clientX, clientY) {
        const box = this.canvas.getBoundingClientRect();
        const point = new THREE.Vector2(2 * (clientX - box.left) / box.width - 1,
            1 - 2 * (clientY - box.top) / box.height);
        const caster = new THREE.Raycaster();
        caster.setFromCamera(point, this.camera);
        return caster.ray;
    }

    // where a point is on the page
    project(point) {
        const box = this.canvas.getBoundingClientRect();
        const v = new THREE.Vector3(...point).project(this.camera);
        return { x: box.left + (v.x + 1) * box.width / 2, y: box.top + (1 - v.y) * box.height / 2 };
    }

    picture() {
        this.draw();
        return new Promise((resolve) => this.canvas.toBlob(resolve, 'image/png'));
    }
}
