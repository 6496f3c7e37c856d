// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Cloth with a picture on it, held by two corners: it is seen from both sides, with its picture,
// its edges and its strain, and it is pulled.

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { check, lookAt, openTab, startServer, until } from './harness.mjs';

const SCENE = `
title: Chequered cloth
bodies:
  - name: cloth
    kind: cloth
    cloth: {surface: cloth.obj, uv: file, stretch: 300 N/m, shear: 60 N/m}
constraints:
  - {body: cloth, select: {near: {point: [-0.5, 0, -0.5], count: 1}}}
  - {body: cloth, select: {near: {point: [0.5, 0, -0.5], count: 1}}}
gravity: [0, -9.81, 0]
damping: {mass: 1, stiffness: 2 ms}
time: {dt: 10 ms}
`;

function writeFiles(folder, lyra) {
    const sheet = join(folder, 'cloth.obj');
    execFileSync(lyra, ['mesh', 'grid', sheet, '--cells', '12,12', '--faces', 'quads']);
    writeFileSync(sheet, `mtllib cloth.mtl\nusemtl chess\n${readFileSync(sheet, 'utf8')}`);
    writeFileSync(join(folder, 'cloth.mtl'), 'newmtl chess\nKd 1 1 1\nmap_Kd cloth.ppm\n');
    writeFileSync(join(folder, 'cloth.ppm'), 'P3 8 8 255\n' + Array.from({ length: 64 }, (_, i) =>
        (i + (i >> 3)) % 2 ? '250 220 120' : '30 60 140').join('\n') + '\n');
    writeFileSync(join(folder, 'cloth.yaml'), SCENE);
}

// from where the camera sees the side along the normal of the sheet at rest, or the other one
async function lookFrom(page, y) {
    await page.evaluate((height) => {
        const { stage } = window.lyra;
        stage.camera.position.set(0.3, height, 0.4);
        stage.controls.target.set(0, 0, 0);
        stage.controls.update();
    }, y);
    return lookAt(page);
}

async function isSeen(page) {
    check(await page.evaluate(() => Boolean(window.lyra.surfaces[0].lists.fine.looks[0].map)),
        'cloth wears the picture of its material');
    const above = await lookFrom(page, 1.6);
    const below = await lookFrom(page, -1.6);
    check(above.filled > 0.05 && below.filled > 0.5 * above.filled,
        `cloth has two sides (${above.filled.toFixed(3)}, ${below.filled.toFixed(3)})`);
    check(above.colors > 8 && below.colors > 8, 'and its picture on both');
    await lookFrom(page, 1.6);
    await page.getByRole('button', { name: 'Wireframe' }).click();
    await until(page, (viewer) => viewer.surfaces[0].wire?.visible);
    check(true, 'its edges appear');
    await page.getByRole('button', { name: 'Wireframe' }).click();
}

async function showsStrain(page) {
    await page.evaluate(() => window.lyra.panel.play(1));
    await until(page, (viewer) => viewer.frame.time > 0.4);
    await page.evaluate(() => window.lyra.panel.play(0));
    await until(page, (viewer) => !viewer.state.playing);
    await page.selectOption('#field', { label: 'Strain of cloth' });
    await until(page, (viewer) => viewer.frame.field.length > 0);
    check(await page.textContent('#legend-name') === 'Strain of cloth', 'its strain has a legend');
    check(await page.evaluate(() => Math.max(...window.lyra.frame.field) > 0.01),
        'and is not zero where it hangs');
    await page.evaluate(() => window.lyra.panel.show({ field: 0 }));
}

async function isPulled(page) {
    const at = await page.evaluate(() => {
        const { frame, stage } = window.lyra;
        stage.camera.position.set(0.8, 0.4, 1.4);
        stage.controls.target.set(0, -0.3, -0.4);
        stage.controls.update();
        stage.camera.updateMatrixWorld();
        const middle = 3 * Math.floor(frame.surface.length / 6);
        return stage.project(Array.from(frame.surface.subarray(middle, middle + 3)));
    });
    const before = await page.evaluate(() => Array.from(window.lyra.frame.surface));
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await until(page, (viewer) => viewer.frame.drags.length === 9);
    await page.mouse.move(at.x + 60, at.y, { steps: 3 });
    await page.evaluate(() => window.lyra.panel.play(1));
    await until(page, (viewer, x) => viewer.frame.surface.some((value, i) =>
        Math.abs(value - x[i]) > 0.05), before);
    check(true, 'cloth is pulled');
    await page.mouse.up();
    await until(page, (viewer) => viewer.frame.drags.length === 0);
    await page.evaluate(() => window.lyra.panel.play(0));
}

export async function clothWorks(browser, lyra, folder, complaints, picture) {
    writeFiles(folder, lyra);
    const server = await startServer(lyra, [join(folder, 'cloth.yaml'), '--paused', '--threads',
        '1']);
    const page = await openTab(browser, server.address, complaints);
    await isSeen(page);
    await showsStrain(page);
    await isPulled(page);
    if (picture) {
        await page.screenshot({ path: picture });
    }
    await page.context().close();
    await server.stop();
}
