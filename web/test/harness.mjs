// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the tests of the page share: a server, a browser, checks with names.

import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';

// a loaded machine without a graphics card draws a picture in seconds
export const PATIENCE = 600000;

let failures = 0;
let checks = 0;

export function check(holds, what) {
    ++checks;
    if (!holds) {
        ++failures;
    }
    console.log(`${holds ? 'ok  ' : 'FAIL'} ${what}`);
}

export const outcome = () => ({ checks, failures });

// { address, stop() } of `lyra view` with arguments
export function startServer(program, args) {
    const child = spawn(program, ['view', ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = new Promise((resolve) => {
        child.on('exit', (code) => resolve(code));
    });
    process.on('exit', () => child.kill('SIGKILL'));
    return new Promise((resolve, reject) => {
        let text = '';
        child.stdout.on('data', (data) => {
            text += data;
            if (text.includes('\n')) {
                resolve({
                    address: text.trim(),
                    stop: () => {
                        child.kill('SIGINT');
                        return ended;
                    },
                });
            }
        });
        ended.then((code) => reject(new Error(`lyra view ended with ${code}`)));
    });
}

// a browser that draws without a graphics card
export function startBrowser(packages, chromium) {
    const playwright = createRequire(join(packages, 'package.json'))('playwright-core');
    return playwright.chromium.launch({
        executablePath: chromium,
        args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader',
            '--enable-unsafe-swiftshader'],
    });
}

// a tab that shows the viewer; what it complains about goes to `complaints`
export async function openTab(browser, address, complaints, options = {}) {
    const context = await browser.newContext({ viewport: { width: 860, height: 520 },
        colorScheme: 'dark', ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE);
    page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) {
            complaints.push(message.text());
        }
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(address);
    await page.waitForFunction(() => window.lyra?.frames > 0 && window.lyra.state &&
        window.lyra.stage.drawn > 0);
    return page;
}

// waits for a condition on the page, given as a function of the viewer and an argument
export async function until(page, condition, argument) {
    const text = `Boolean((${condition})(window.lyra, ${JSON.stringify(argument ?? null)}))`;
    for (const began = Date.now(); !await page.evaluate(text); ) {
        if (Date.now() - began > PATIENCE) {
            throw new Error(`never came true: ${condition}`);
        }
        await page.waitForTimeout(50);
    }
}

// parts of the canvas that are not background, in [0, 1], and the number of different colours
export function lookAt(page) {
    return page.evaluate(async () => {
        const { stage } = window.lyra;
        const grid = stage.grid.visible;
        stage.grid.visible = false;
        const bitmap = await createImageBitmap(await stage.picture());
        stage.grid.visible = grid;
        const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
        const context = canvas.getContext('2d');
        context.drawImage(bitmap, 0, 0);
        const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
        const colors = new Set();
        let filled = 0;
        for (let i = 0; i < data.length; i += 4) {
            const key = (data[i] >> 3) << 10 | (data[i + 1] >> 3) << 5 | data[i + 2] >> 3;
            colors.add(key);
            filled += Math.abs(data[i] - data[0]) + Math.abs(data[i + 1] - data[1]) +
                Math.abs(data[i + 2] - data[2]) > 12 ? 1 : 0;
        }
        return { filled: filled / (data.length / 4), colors: colors.size };
    });
}
