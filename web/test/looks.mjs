// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A block with two surfaces, pressed and pulled at its faces: what is to be seen of it, and that the
// pictures in a hurry look like the fine ones.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { check, openTab, startServer, until } from './harness.mjs';

const SCENE = `
title: Pressed block
bodies:
  - generate: {shape: box, size: [1, 1, 1], cells: [3, 3, 3]}
    material: {young: 200 kPa}
    surfaces: [{file: ball.obj}, {file: sheet.obj}]
constraints:
  - select: {box: {min: [-1, -1, -1], max: [1, -0.49, 1]}}
loads:
  - {type: pressure, select: {normal: {direction: [0, 1, 0]}}, pressure: 5 kPa}
  - {type: traction, select: {normal: {direction: [1, 0, 0]}}, traction: [5 kPa, 0, 0]}
time: {dt: 5 ms}
`;

// a ball, one half with a picture, the other red and glossy, and a sheet that has two sides
function writeFiles(folder) {
    const n = 24;
    let text = 'mtllib ball.mtl\n';
    for (let i = 0; i <= n; ++i) {
        for (let j = 0; j <= 2 * n; ++j) {
            const [a, b] = [Math.PI * i / n, Math.PI * j / n];
            text += `v ${0.45 * Math.sin(a) * Math.cos(b)} ${0.45 * Math.cos(a)} ` +
                `${-0.45 * Math.sin(a) * Math.sin(b)}\nvt ${j / n} ${i / n}\n`;
        }
    }
    const corner = (i, j) => {
        const at = i * (2 * n + 1) + j + 1;
        return `${at}/${at}`;
    };
    for (let j = 0; j < 2 * n; ++j) {
        text += j === 0 ? 'usemtl chess\n' : j === n ? 'usemtl red\n' : '';
        for (let i = 0; i < n; ++i) {
            text += i > 0 ? `f ${corner(i, j)} ${corner(i + 1, j)} ${corner(i, j + 1)}\n` : '';
            text += i < n - 1
                ? `f ${corner(i, j + 1)} ${corner(i + 1, j)} ${corner(i + 1, j + 1)}\n` : '';
        }
    }
    writeFileSync(join(folder, 'ball.obj'), text);
    writeFileSync(join(folder, 'ball.mtl'), 'newmtl chess\nKd 1 1 1\nmap_Kd chess.ppm\n' +
        'newmtl red\nKd 0.8 0.1 0.1\nKs 0.6 0.6 0.6\nNs 40\n');
    writeFileSync(join(folder, 'chess.ppm'),
        'P3 4 4 255\n' + Array.from({ length: 16 }, (_, i) =>
            (i + (i >> 2)) % 2 ? '250 220 120' : '30 60 140').join('\n') + '\n');
    writeFileSync(join(folder, 'sheet.obj'), 'v -0.48 -0.45 -0.4\nv 0.48 -0.45 -0.4\n' +
        'v 0.48 -0.25 0.45\nv -0.48 -0.25 0.45\nf 1 2 3 4\n');
    writeFileSync(join(folder, 'block.yaml'), SCENE);
}

// mean difference of two pictures where one of them shows a body, of 255, and how many pixels
const compare = (page) => page.evaluate(() => {
    const { stage } = window.lyra;
    const gl = stage.renderer.getContext();
    stage.grid.visible = false;
    const [fine, quick] = [0, 1].map((level) => {
        stage.draw(level);
        const pixels = new Uint8Array(4 * gl.drawingBufferWidth * gl.drawingBufferHeight);
        gl.readPixels(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight, gl.RGBA,
            gl.UNSIGNED_BYTE, pixels);
        return pixels;
    });
    stage.grid.visible = true;
    let [sum, count] = [0, 0];
    for (let i = 0; i < fine.length; i += 4) {
        const far = (one) => Math.abs(one[i] - fine[0]) + Math.abs(one[i + 1] - fine[1]) +
            Math.abs(one[i + 2] - fine[2]) > 12;
        if (far(fine) || far(quick)) {
            ++count;
            sum += Math.abs(fine[i] - quick[i]) + Math.abs(fine[i + 1] - quick[i + 1]) +
                Math.abs(fine[i + 2] - quick[i + 2]);
        }
    }
    return { mean: sum / 3 / Math.max(1, count), count };
});

async function looksAlike(page, what) {
    const { mean, count } = await compare(page);
    check(count > 2000 && mean > 0 && mean < 5,
        `in a hurry ${what} looks alike (${mean.toFixed(2)} of 255 over ${count} pixels)`);
}

export async function looksRight(browser, lyra, folder, complaints) {
    writeFiles(folder);
    const server = await startServer(lyra, [join(folder, 'block.yaml'), '--paused',
        '--threads', '1']);
    const page = await openTab(browser, server.address, complaints);
    check(await page.locator('#surfaces button').count() === 2, 'a body shows two surfaces');
    await until(page, (viewer) => viewer.stage.level === -1);
    check(true, 'pictures at rest are the finest');
    await looksAlike(page, 'a picture on a surface');
    // from behind: the red half, and the back of the sheet
    await page.evaluate(() => {
        const { camera, controls } = window.lyra.stage;
        camera.position.set(-camera.position.x, -camera.position.y, -camera.position.z);
        controls.update();
    });
    await looksAlike(page, 'what is behind');
    await page.getByRole('button', { name: 'sheet' }).click();
    await until(page, (viewer) => !viewer.surfaces[1].mesh.visible);
    check((await compare(page)).count > 1000, 'a surface can be hidden');
    await page.evaluate(() => window.lyra.panel.show({ field: 4, extras: 8 }));
    await page.click('#step');
    await until(page, (viewer) => viewer.frame.steps === 1 && viewer.frame.field.length > 0);
    await looksAlike(page, 'a field');
    // 16 vertices on each face, four of them on both
    await until(page, (viewer) => viewer.overlays.loads.count === 28);
    check(true, 'pressure and traction are arrows');
    await page.getByRole('button', { name: 'sheet' }).click();
    await until(page, (viewer) => viewer.surfaces[1].mesh.visible && !viewer.packed);
    const moved = await page.evaluate(() => {
        const { surfaces, frame } = window.lyra;
        return surfaces[1].x.every((x, i) => x === frame.surface[3 * surfaces[1].first + i]);
    });
    check(moved, 'and one that comes back is where it belongs');
    await page.context().close();
    await server.stop();
}
