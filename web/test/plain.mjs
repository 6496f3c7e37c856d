// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A tab that nobody listens in on. Playwright has the browser hand it a copy of every message of a
// socket, which costs more than to draw them; whoever measures talks to the browser by this. Its
// processes stay in the group of this one.

import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// { evaluate(expression), processes(), close() } of a page in a window of its own
export async function openPlainTab(chromium, flags, address, { width, height }) {
    const profile = mkdtempSync(join(tmpdir(), 'lyra-plain-'));
    const child = spawn(chromium, ['--headless', '--no-sandbox', '--no-first-run',
        '--remote-debugging-pipe', `--user-data-dir=${profile}`, '--hide-scrollbars', ...flags],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
    const ended = new Promise((resolve) => {
        child.on('exit', resolve);
    });
    const [, , , toBrowser, fromBrowser] = child.stdio;
    const waiting = new Map();
    let [text, next] = ['', 1];
    fromBrowser.setEncoding('utf8').on('data', (data) => {
        const parts = (text + data).split('\0');
        text = parts.pop();
        for (const part of parts) {
            const { id, result, error } = JSON.parse(part);
            waiting.get(id)?.(error ? Promise.reject(new Error(error.message)) : result);
            waiting.delete(id);
        }
    });
    const send = (method, params, sessionId) => new Promise((resolve) => {
        waiting.set(next, resolve);
        toBrowser.write(`${JSON.stringify({ id: next++, method, params, sessionId })}\0`);
    });
    const { targetId } = await send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
    await send('Emulation.setDeviceMetricsOverride',
        { width, height, deviceScaleFactor: 1, mobile: false }, sessionId);
    await send('Page.navigate', { url: address }, sessionId);
    return {
        evaluate: async (expression) => {
            const { result, exceptionDetails } = await send('Runtime.evaluate',
                { expression, awaitPromise: true, returnByValue: true }, sessionId);
            if (exceptionDetails) {
                throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
            }
            return result.value;
        },
        processes: () => descendants(child.pid),
        close: async () => {
            send('Browser.close');
            await ended;
            rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
        },
    };
}

// [{ pid, command }] of a process and those that it started
export function descendants(root) {
    const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name)).flatMap((name) => {
        try {
            const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
            const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
            const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
            return [{ pid: Number(name), parent, command }];
        } catch {
            return []; // it has ended
        }
    });
    const found = all.filter(({ pid }) => pid === root);
    for (const one of found) {
        found.push(...all.filter(({ parent }) => parent === one.pid));
    }
    return found;
}

// milliseconds of processor time that a process has used, all its threads together
export function processorTime(pid) {
    try {
        return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum +
            Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8')
                .split(' ')[0]) / 1e6, 0);
    } catch {
        return 0;
    }
}
