// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause
//
// frames.mjs PACKAGES CHROMIUM LYRA TRIANGLES...: what a frame costs the page, by the triangles of
// the surface: a sphere that a few tets carry along. Prints a CSV.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { openTab, startBrowser, startServer, until } from './harness.mjs';

const [folderOfPackages, chromium, lyra, ...sizes] = process.argv.slice(2);
const packages = resolve(folderOfPackages);
const folder = mkdtempSync(join(tmpdir(), 'lyra-frames-'));
const SECONDS = 6;

// rings of points from pole to pole, 2 n of them around, 4 n (n - 1) triangles
function writeSphere(file, n) {
    let text = '';
    for (let i = 1; i < n; ++i) {
        for (let j = 0; j < 2 * n; ++j) {
            const [a, b] = [Math.PI * i / n, Math.PI * j / n];
            text += `v ${0.5 * Math.sin(a) * Math.cos(b)} ${0.5 * Math.cos(a)} ` +
                `${-0.5 * Math.sin(a) * Math.sin(b)}\n`;
        }
    }
    text += 'v 0 0.5 0\nv 0 -0.5 0\n';
    const at = (i, j) => (i - 1) * 2 * n + j % (2 * n) + 1;
    const pole = (n - 1) * 2 * n + 1;
    for (let j = 0; j < 2 * n; ++j) {
        text += `f ${pole} ${at(1, j)} ${at(1, j + 1)}\n`;
        text += `f ${pole + 1} ${at(n - 1, j + 1)} ${at(n - 1, j)}\n`;
        for (let i = 1; i < n - 1; ++i) {
            text += `f ${at(i, j)} ${at(i + 1, j)} ${at(i + 1, j + 1)} ${at(i, j + 1)}\n`;
        }
    }
    writeFileSync(file, text);
}

const scene = `
bodies:
  - generate: {shape: box, size: [1.02, 1.02, 1.02], cells: [3, 3, 3]}
    material: {young: 20 kPa}
    surfaces: [{file: sphere.obj}]
constraints:
  - select: {box: {min: [-1, 0.5, -1], max: [1, 1, 1]}}
gravity: [0, -9.81, 0]
time: {dt: 10 ms}
`;

console.log('triangles,vertices,frames_per_s,pictures_per_s,unpack_ms,draw_ms,bytes');
for (const size of sizes) {
    writeSphere(join(folder, 'sphere.obj'), Math.round(0.5 + Math.sqrt(Number(size) / 4)));
    writeFileSync(join(folder, 'scene.yaml'), scene);
    const browser = await startBrowser(packages, chromium);
    const server = await startServer(lyra, [join(folder, 'scene.yaml'), '--threads', '1']);
    const page = await openTab(browser, server.address, [],
        { viewport: { width: 1280, height: 800 } });
    await until(page, (viewer) => viewer.frames > 5);
    const found = await page.evaluate(async (seconds) => {
        const viewer = window.lyra;
        const { stage } = viewer;
        const gl = stage.renderer.getContext();
        const begin = { clock: performance.now(), frames: viewer.frames, drawn: stage.drawn };
        const costs = [];
        while (performance.now() - begin.clock < 1000 * seconds) {
            await new Promise((resolve) => requestAnimationFrame(resolve));
            costs.push(viewer.frameSeconds);
        }
        const passed = (performance.now() - begin.clock) / 1000;
        const [frames, drawn] = [viewer.frames - begin.frames, stage.drawn - begin.drawn];
        // a picture, to its last pixel
        viewer.panel.play(0);
        await new Promise((resolve) => setTimeout(resolve, 500));
        const pixel = new Uint8Array(4);
        const pictures = [];
        for (let i = 0; i < 10; ++i) {
            const clock = performance.now();
            stage.draw();
            gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
            pictures.push(performance.now() - clock);
        }
        costs.sort((a, b) => a - b);
        return {
            triangles: viewer.surfaces[0].triangles.length / 3,
            vertices: viewer.surfaces[0].count,
            frames: frames / passed,
            pictures: drawn / passed,
            unpack: 1000 * costs[costs.length >> 1],
            draw: Math.min(...pictures),
            bytes: viewer.frame.surface.buffer.byteLength,
        };
    }, SECONDS);
    console.log([found.triangles, found.vertices, found.frames.toFixed(1),
        found.pictures.toFixed(1), found.unpack.toFixed(2), found.draw.toFixed(1),
        found.bytes].join(','));
    await browser.close();
    await server.stop();
}
rmSync(folder, { recursive: true, force: true });
process.exit(0);
