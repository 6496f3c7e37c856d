// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Pictures of the viewer at work, for README and documentation.

import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openTab, startServer, until } from './harness.mjs';

const here = dirname(fileURLToPath(import.meta.url));

// pulls at a point of the page while it plays, and holds there
async function pull(page, from, to, seconds) {
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await until(page, (viewer) => viewer.frame.drags.length === 9);
    await page.mouse.move(to.x, to.y, { steps: 4 });
    await page.evaluate(() => window.lyra.panel.play(1));
    const { time } = await page.evaluate(() => window.lyra.frame);
    await until(page, (viewer, least) => viewer.frame.time > least, time + seconds);
    await page.evaluate(() => window.lyra.panel.play(0));
    // the picture of things at rest, and the numbers that go with it
    await until(page, (viewer) => !viewer.state.playing && !viewer.slow &&
        viewer.stage.level === -1);
}

async function pictureOf(browser, lyra, file, options, change) {
    const server = await startServer(lyra, [join(here, 'torus.yaml'), '--paused']);
    const complaints = [];
    const page = await openTab(browser, server.address, complaints, options);
    await page.evaluate(change, null);
    const { width, height } = options.viewport;
    const middle = await page.evaluate(() => {
        // the point of the surface that is nearest to the right edge of the stage
        const { frame, stage } = window.lyra;
        let best = { x: 0 };
        for (let i = 0; i < frame.surface.length; i += 3) {
            const at = stage.project(frame.surface.subarray(i, i + 3));
            best = at.x > best.x ? at : best;
        }
        return best;
    });
    const from = { x: middle.x - 0.02 * width, y: middle.y };
    await pull(page, from, { x: from.x + 0.1 * width, y: from.y - 0.12 * height }, 0.6);
    await page.screenshot({ path: file });
    await page.mouse.up();
    await page.context().close();
    await server.stop();
}

export async function takeAll(browser, lyra, folder) {
    await pictureOf(browser, lyra, join(folder, 'viewer.png'),
        { viewport: { width: 1280, height: 800 } },
        () => window.lyra.panel.show({ field: 1, extras: 0 }));
    await pictureOf(browser, lyra, join(folder, 'viewer_phone.png'),
        { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, colorScheme: 'light' },
        () => window.lyra.panel.show({ field: 0, extras: 0 }));
}
