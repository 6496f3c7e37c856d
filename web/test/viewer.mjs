// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause
//
// viewer.mjs PACKAGES CHROMIUM LYRA [PICTURES]: the page of `lyra view` in a real browser. With
// PICTURES, a folder, it also takes the pictures of the README.

import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { clothWorks } from './cloth.mjs';
import { check, lookAt, openTab, outcome, startBrowser, startServer, until } from './harness.mjs';
import { looksRight } from './looks.mjs';
import { partsWork } from './parts.mjs';

const [packages, chromium, lyra, pictures] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'lyra-web-'));
const complaints = [];

const lowest = (page) => page.evaluate(() => {
    const x = window.lyra.frame.surface;
    return x.reduce((low, value, i) => i % 3 === 1 ? Math.min(low, value) : low, Infinity);
});

// where the surface point that lies farthest along +x is on the page
const tipOf = (page) => page.evaluate(() => {
    const { frame, stage } = window.lyra;
    const x = frame.surface;
    let tip = 0;
    let middle = [0, 0, 0];
    let count = 0;
    for (let i = 0; i < x.length; i += 3) {
        tip = Math.max(tip, x[i]);
    }
    for (let i = 0; i < x.length; i += 3) {
        if (x[i] > tip - 0.12) {
            middle = middle.map((m, k) => m + x[i + k]);
            ++count;
        }
    }
    return stage.project(middle.map((m) => m / count));
});

async function showsTheBody(page) {
    const seen = await lookAt(page);
    check(seen.filled > 0.02 && seen.colors > 3, `the body is drawn (${JSON.stringify(seen)})`);
    await page.evaluate(() => window.lyra.surfaces.forEach((one) => {
        one.mesh.visible = false;
    }));
    const gone = await lookAt(page);
    check(gone.filled < 0.5 * seen.filled, 'and gone when it is hidden');
    await page.evaluate(() => window.lyra.surfaces.forEach((one) => {
        one.mesh.visible = true;
    }));
    check(await page.textContent('#name') === 'Hanging beam', 'the title is that of the scene');
    check(/99 vertices, 240 elements/.test(await page.textContent('#facts')), 'its size is told');
}

async function playsAndRests(page) {
    const rest = await lowest(page);
    await page.click('#step');
    await until(page, (viewer) => viewer.frame.steps === 1);
    check(await lowest(page) < rest, 'one step lets it fall');
    await page.click('#play');
    await until(page, (viewer) => viewer.frame.time > 0.3);
    check(true, 'it plays');
    await page.keyboard.press('Space');
    await until(page, (viewer) => !viewer.state.playing);
    await page.waitForTimeout(300);
    const before = await page.evaluate(() => window.lyra.frame.steps);
    await page.waitForTimeout(300);
    check(await page.evaluate(() => window.lyra.frame.steps) === before, 'it rests');
    await page.click('#reset');
    await until(page, (viewer) => viewer.frame.steps === 0);
    check(await lowest(page) === rest, 'it goes back to the start');
}

async function isPulled(page) {
    const before = await page.evaluate(() => window.lyra.frame.surface.slice());
    const tip = await tipOf(page);
    await page.mouse.move(tip.x, tip.y);
    await page.mouse.down();
    await until(page, (viewer) => viewer.frame.drags.length === 9);
    check(true, 'a press on the body takes hold of it');
    await page.mouse.move(tip.x, tip.y - 60, { steps: 3 });
    await until(page, (viewer) => viewer.frame.drags[4] > viewer.frame.drags[1] + 0.01);
    check(await page.isVisible('#force'), 'the force is written');
    await page.evaluate(() => window.lyra.panel.play(1));
    await until(page, (viewer, x) => Math.max(...viewer.frame.surface.map((value, i) =>
        i % 3 === 1 ? value - x[i] : 0)) > 0.05, Array.from(before));
    check(true, 'the vertex moves with the pointer');
    await page.mouse.up();
    await until(page, (viewer) => viewer.frame.drags.length === 0);
    check(true, 'and is let go');
    await page.evaluate(() => window.lyra.panel.play(0));
    await until(page, (viewer) => !viewer.state.playing);
}

async function turnsTheCamera(page) {
    const steps = await page.evaluate(() => window.lyra.stage.camera.position.toArray());
    await page.mouse.move(40, 300);
    await page.mouse.down();
    await page.mouse.move(120, 320, { steps: 3 });
    await page.mouse.up();
    await until(page, (viewer, was) => viewer.stage.camera.position.toArray()
        .some((value, i) => Math.abs(value - was[i]) > 1e-3), steps);
    check(await page.evaluate(() => window.lyra.frame.drags.length) === 0,
        'beside the body the camera turns');
    await page.click('#fit');
}

// how far it sags after a second
async function sagOf(page) {
    await page.click('#reset');
    await until(page, (viewer) => viewer.frame.steps === 0 && !viewer.state.playing);
    await page.evaluate(() => window.lyra.panel.play(1));
    await until(page, (viewer) => viewer.frame.time > 1.2);
    await page.evaluate(() => window.lyra.panel.play(0));
    await until(page, (viewer) => !viewer.state.playing);
    return -await lowest(page);
}

async function turnsNumbers(page) {
    await page.selectOption('#speed', '0');
    await until(page, (viewer) => viewer.state.speed === 0);
    const stiff = await sagOf(page);
    await page.evaluate(() => {
        const slider = document.querySelector('[id$="material.young"]');
        slider.value = 380;
        slider.dispatchEvent(new Event('input'));
    });
    await until(page, (viewer) => viewer.state.knobs
        .find((knob) => knob.name === 'material.young').value < 2e5);
    const soft = await sagOf(page);
    check(soft > 1.2 * stiff, `a softer beam sags more (${stiff.toFixed(3)}, ${soft.toFixed(3)} m)`);
    await page.locator('[id$="material.young"]').dblclick();
    await until(page, (viewer) => viewer.state.knobs.every((knob) => knob.value === knob.start));
    check(true, 'a double click brings the number back');
    await page.selectOption('#integrator', { label: 'newmark' });
    await until(page, (viewer) => viewer.state.integrator === 'newmark');
    const { steps } = await page.evaluate(() => window.lyra.frame);
    await page.click('#step');
    await until(page, (viewer, was) => viewer.frame.steps > was, steps);
    check(true, 'another integrator goes on');
}

async function showsFields(page) {
    const plain = await lookAt(page);
    for (const [value, name] of [[1, 'Von Mises stress'], [2, 'Strain energy density'],
        [3, 'Volume ratio det F'], [4, 'Displacement'], [5, 'Speed']]) {
        await page.selectOption('#field', String(value));
        await until(page, (viewer, field) => viewer.state.field === field &&
            viewer.frame.field.length > 0, value);
        check(await page.textContent('#legend-name') === name, `${name} has a legend`);
    }
    await page.selectOption('#field', '1');
    await until(page, (viewer) => viewer.state.field === 1);
    const colored = await lookAt(page);
    check(colored.colors > plain.colors, 'a field has more colours');
    for (const [label, condition] of [
        ['Volume mesh', (viewer) => viewer.frame.volume.length > 0],
        ['Stress ellipsoids', (viewer) => viewer.overlays.ellipsoids.count === 240],
        ['Strain ellipsoids', (viewer) => (viewer.state.extras & 6) === 4],
        ['Loads', (viewer) => viewer.overlays.loads.count === 9],
        ['Wireframe', (viewer) => viewer.surfaces[0].wire?.visible],
    ]) {
        await page.getByRole('button', { name: label }).click();
        await until(page, condition);
        check(true, `${label} appear`);
    }
    await page.evaluate(() => window.lyra.panel.show({ field: 0, extras: 0 }));
    await until(page, (viewer) => viewer.state.extras === 0);
}

async function sharesWithAnother(browser, page, address) {
    const other = await openTab(browser, address, complaints);
    const { steps } = await page.evaluate(() => window.lyra.frame);
    await page.click('#step');
    await until(other, (viewer, was) => viewer.frame.steps > was, steps);
    await until(page, (viewer, was) => viewer.frame.steps > was, steps);
    const x = await page.evaluate(() => Array.from(window.lyra.frame.surface));
    await until(other, (viewer, expected) =>
        expected.every((value, i) => viewer.frame.surface[i] === value), x);
    check(true, 'two tabs see the same');
    await other.evaluate(() => window.lyra.panel.look('wire'));
    await other.evaluate(() => window.lyra.panel.show({ field: 4 }));
    await until(page, (viewer) => viewer.state.field === 4);
    check(true, 'what one chooses the other sees');
    await other.evaluate(() => window.lyra.panel.show({ field: 0 }));
    await other.context().close();
}

async function comesBack(page) {
    const frames = await page.evaluate(() => {
        window.lyra.connection.socket.close();
        return window.lyra.frames;
    });
    await until(page, (viewer, was) => viewer.frames > was &&
        !document.body.classList.contains('lost'), frames);
    check(true, 'a lost connection is opened again');
}

async function helps(page) {
    await page.keyboard.press('h');
    check(await page.isVisible('#card'), 'H shows the help card');
    await page.keyboard.press('Escape');
    const was = await page.evaluate(() => document.documentElement.dataset.theme);
    await page.keyboard.press('t');
    check(await page.evaluate(() => document.documentElement.dataset.theme) !== was,
        'T changes dark and light');
    await page.keyboard.press('t');
    const [download] = await Promise.all([page.waitForEvent('download'),
        page.keyboard.press('p')]);
    check(/^lyra-\d+\.png$/.test(download.suggestedFilename()), 'P saves a picture');
    await page.keyboard.press('k');
    await until(page, (viewer) => viewer.state.recording);
    for (let i = 0; i < 4; ++i) {
        const { steps } = await page.evaluate(() => window.lyra.frame);
        await page.keyboard.press('s');
        await until(page, (viewer, was) => viewer.frame.steps > was, steps);
    }
    await page.keyboard.press('k');
    await until(page, (viewer) => !viewer.state.recording);
    check(readdirSync(join(folder, 'record-001')).includes('body1_skin.gltf'),
        'K records on the server');
}

async function worksByTouch(browser, address) {
    const page = await openTab(browser, address, complaints,
        { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    await page.tap('#reset');
    await until(page, (viewer) => viewer.frame.steps === 0);
    await page.tap('#fit');
    const tip = await tipOf(page);
    const session = await page.context().newCDPSession(page);
    const touch = (type, points) =>
        session.send('Input.dispatchTouchEvent', { type, touchPoints: points });
    await touch('touchStart', [{ x: tip.x, y: tip.y }]);
    await until(page, (viewer) => viewer.frame.drags.length === 9);
    await touch('touchMove', [{ x: tip.x, y: tip.y - 50 }]);
    await until(page, (viewer) => viewer.frame.drags[4] > viewer.frame.drags[1] + 0.01);
    await touch('touchEnd', []);
    await until(page, (viewer) => viewer.frame.drags.length === 0);
    check(true, 'a finger pulls');
    await page.tap('#more');
    await page.waitForTimeout(300);
    check(await page.isVisible('[id$="material.young"]'), 'the panel comes up on a phone');
    await page.context().close();
}

async function takePictures(browser) {
    const { takeAll } = await import('./pictures.mjs');
    await takeAll(browser, lyra, pictures);
}

const began = Date.now();
const browser = await startBrowser(packages, chromium);
try {
    partsWork();
    const server = await startServer(lyra, [join(here, 'beam.yaml'), '--paused', '--threads', '1',
        '--out', folder]);
    const page = await openTab(browser, server.address, complaints);
    await showsTheBody(page);
    await playsAndRests(page);
    await isPulled(page);
    await turnsTheCamera(page);
    await turnsNumbers(page);
    await showsFields(page);
    await sharesWithAnother(browser, page, server.address);
    await comesBack(page);
    await helps(page);
    await worksByTouch(browser, server.address);
    await looksRight(browser, lyra, folder, complaints);
    await clothWorks(browser, lyra, folder, complaints);
    check(complaints.length === 0, `no complaints in the console ${complaints.join('; ')}`);
    check(await server.stop() === 130, 'the server ends with its pages open');
    if (pictures) {
        await takePictures(browser);
    }
} catch (error) {
    check(false, error.message);
} finally {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
}
const { checks, failures } = outcome();
console.log(`${checks - failures} passed, ${failures} failed in ` +
    `${((Date.now() - began) / 1000).toFixed(0)} s`);
process.exit(failures > 0 ? 1 : 0);
