// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause
//
// frames.mjs CHROMIUM LYRA WAY TRIANGLES...: pictures per second that the page shows, and what each
// costs, by the triangles of the surface: a sphere that a few tets carry along. WAY is how the
// browser draws on a machine without a graphics card:
//   default      it draws with SwiftShader, and puts the page together by itself
//   swiftshader  SwiftShader does both
//   llvmpipe     Mesa's llvmpipe does both
// Prints a CSV; times are of processors, in all threads, per picture.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from './harness.mjs';
import { descendants, openPlainTab, processorTime } from './plain.mjs';

const WAYS = {
    default: ['--enable-unsafe-swiftshader'],
    swiftshader: ['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
    llvmpipe: ['--use-gl=angle', '--use-angle=gl-egl', '--ignore-gpu-blocklist'],
};
const [chromium, lyra, way, ...sizes] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'lyra-frames-'));
const SECONDS = 5;
const PART = { 'type=gpu-process': 'gpu', 'type=renderer': 'page', 'lyra view': 'lyra' };

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

// processor time of the parts so far, ms: { gpu, page, lyra, rest }
function times() {
    const sums = { gpu: 0, page: 0, lyra: 0, rest: 0 };
    for (const { pid, command } of descendants(process.pid).slice(1)) {
        const word = Object.keys(PART).find((one) => command.includes(one));
        sums[PART[word] ?? 'rest'] += processorTime(pid);
    }
    return sums;
}

// what the page says of itself
const COUNTS = `(() => {
    const { frames, stage, frameSeconds } = window.lyra;
    return { clock: performance.now(), frames, drawn: stage.drawn, level: stage.level,
        unpack: 1000 * frameSeconds };
})()`;

// a picture at the level of the moment, to its last pixel
const DRAW = `(async () => {
    const { panel, stage, surfaces, frame } = window.lyra;
    const { level } = stage;
    panel.play(0);
    await new Promise((resolve) => setTimeout(resolve, 500));
    const gl = stage.renderer.getContext();
    const pixel = new Uint8Array(4);
    const pictures = [];
    for (let i = 0; i < 10; ++i) {
        const clock = performance.now();
        stage.draw(level);
        gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
        pictures.push(performance.now() - clock);
    }
    return { draw: Math.min(...pictures), triangles: surfaces[0].triangles.length / 3,
        vertices: surfaces[0].count, bytes: frame.surface.buffer.byteLength };
})()`;

const wait = (ms) => new Promise((resolve) => {
    setTimeout(resolve, ms);
});

async function measure() {
    const server = await startServer(lyra, [join(folder, 'scene.yaml'), '--threads', '1']);
    const page = await openPlainTab(chromium, WAYS[way], server.address,
        { width: 1280, height: 800 });
    while (!await page.evaluate('window.lyra?.stage.drawn > 60')) {
        await wait(100);
    }
    const [begin, timesBegin] = [await page.evaluate(COUNTS), times()];
    await wait(1000 * SECONDS);
    const [end, timesEnd] = [await page.evaluate(COUNTS), times()];
    const size = await page.evaluate(DRAW);
    await page.close();
    await server.stop();
    const passed = (end.clock - begin.clock) / 1000;
    const pictures = end.drawn - begin.drawn;
    const cost = (part) => ((timesEnd[part] - timesBegin[part]) / pictures).toFixed(1);
    console.log([way, size.triangles, size.vertices, size.bytes, end.level,
        (pictures / passed).toFixed(1), ((end.frames - begin.frames) / passed).toFixed(1),
        end.unpack.toFixed(1), size.draw.toFixed(1), cost('gpu'), cost('page'), cost('lyra'),
        cost('rest')].join(','));
}

console.log('way,triangles,vertices,bytes,level,pictures_per_s,frames_per_s,unpack_ms,draw_ms,' +
    'gpu_cpu_ms,page_cpu_ms,lyra_cpu_ms,rest_cpu_ms');
for (const size of sizes) {
    writeSphere(join(folder, 'sphere.obj'), Math.round(0.5 + Math.sqrt(Number(size) / 4)));
    writeFileSync(join(folder, 'scene.yaml'), scene);
    await measure();
}
rmSync(folder, { recursive: true, force: true });
process.exit(0);
