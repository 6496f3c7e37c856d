// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Parts of the page that need no browser: the pace of pictures, the order of triangles.

import { LEVELS, Pace } from '../src/pace.js';
import { orderTriangles } from '../src/reorder.js';
import { check } from './harness.mjs';

// pictures that take `cost(level)` ms each, for so many of them; the levels that they had
function play(pace, count, cost) {
    const levels = [];
    for (let i = 0, now = 0; i < count; ++i) {
        pace.call(now, true);
        levels.push(pace.level);
        now += cost(pace.level);
    }
    return levels;
}

function pacesPictures() {
    const last = (list) => list[list.length - 1];
    let pace = new Pace(0);
    check(last(play(pace, 500, () => 16.7)) === 0, 'a fast machine keeps the finest pictures');
    pace = new Pace(1);
    check(last(play(pace, 500, () => 16.7)) === 0, 'and comes to them');
    pace = new Pace(0);
    const costs = [60, 40, 25, 20];
    check(last(play(pace, 500, (level) => costs[level])) === 2, 'a slow one takes coarser ones');
    pace = new Pace(1);
    check(last(play(pace, 1000, (level) => [40, 17, 17, 17][level])) === 1,
        'what was too slow twice is not tried again');
    pace = new Pace(0);
    check(last(play(pace, 500, () => 100)) === 0, 'what does not help is taken back');
    pace = new Pace(0);
    play(pace, 40, (level) => costs[level]);
    check(pace.level > 0 && last(play(pace, 2000, () => 16.7)) === 0,
        'after a busy while pictures are fine again');
    pace = new Pace(0);
    for (let i = 0; i < 100; ++i) {
        pace.call(1000 * i, true);
        pace.call(1000 * i + 16, false);
        pace.call(1000 * i + 600, false);
    }
    check(pace.level === 0, 'a slow simulation is no reason for coarse pictures');
    check(LEVELS.every(({ scale }, i) => i === 0 || scale <= LEVELS[i - 1].scale),
        'levels go from fine to coarse');
}

// corners that a cache of `size` last ones does not have, per triangle
function misses(triangles, size) {
    const cache = [];
    let count = 0;
    for (const corner of triangles) {
        if (!cache.includes(corner)) {
            ++count;
            cache.push(corner);
            cache.splice(0, cache.length - size);
        }
    }
    return count / (triangles.length / 3);
}

function ordersTriangles() {
    const n = 40;
    const first = 7;
    const list = [];
    for (let i = 0; i < n; ++i) {
        for (let j = 0; j < n; ++j) {
            const a = first + i * (n + 1) + j;
            list.push([a, a + 1, a + n + 2], [a, a + n + 2, a + n + 1]);
        }
    }
    // shuffled, always alike
    for (let i = list.length - 1, seed = 1; i > 0; --i) {
        seed = seed * 48271 % 2147483647;
        const k = seed % (i + 1);
        [list[i], list[k]] = [list[k], list[i]];
    }
    const before = new Uint32Array(list.flat());
    const after = orderTriangles(before, first, (n + 1) ** 2);
    const names = (triangles) => Array.from({ length: triangles.length / 3 }, (_, t) =>
        triangles.subarray(3 * t, 3 * t + 3).join()).sort().join(' ');
    check(names(before) === names(after), 'triangles in another order are the same triangles');
    check(misses(before, 24) > 2.5 && misses(after, 24) < 0.85,
        `and their corners are at hand (${misses(after, 24).toFixed(2)} new ones per triangle)`);
    check(orderTriangles(new Uint32Array(0), 0, 0).length === 0, 'no triangles stay none');
}

export function partsWork() {
    pacesPictures();
    ordersTriangles();
}
