// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause
//
// An order of triangles in which neighbours follow one another, so that a graphics card, or the
// program in its place, mostly has their corners at hand. As P. V. Sander, D. Nehab and J. Barczak
// have it ("Fast triangle reordering for vertex locality and reduced overdraw", 2007, section 3): a
// fan around one vertex after another, the next one being the fan's corner that leaves the cache
// last among those whose own fan still fits.

const CACHE = 24; // corners

// `triangles`: three corners each, all in [first, first + count). The same triangles in an order
// that suits caches.
export function orderTriangles(triangles, first, count) {
    const size = triangles.length / 3;
    // triangles around each vertex, as ranges of `around`
    const live = new Int32Array(count);
    for (const corner of triangles) {
        ++live[corner - first];
    }
    const start = new Int32Array(count + 1);
    for (let v = 0; v < count; ++v) {
        start[v + 1] = start[v] + live[v];
    }
    const around = new Int32Array(triangles.length);
    const fill = start.slice(0, count);
    triangles.forEach((corner, c) => {
        around[fill[corner - first]++] = c / 3 | 0;
    });
    const done = new Uint8Array(size);
    const stamp = new Int32Array(count); // when a vertex came into the cache
    let time = CACHE + 1;
    const dead = []; // vertices to go back to
    let cursor = 0;
    const out = new Uint32Array(triangles.length);
    let at = 0;
    let fan = count > 0 ? 0 : -1;
    while (fan >= 0) {
        const ring = [];
        for (let k = start[fan]; k < start[fan + 1]; ++k) {
            const t = around[k];
            if (done[t]) {
                continue;
            }
            done[t] = 1;
            for (let i = 0; i < 3; ++i) {
                const v = triangles[3 * t + i] - first;
                out[at++] = v + first;
                dead.push(v);
                ring.push(v);
                --live[v];
                if (time - stamp[v] > CACHE) {
                    stamp[v] = time++;
                }
            }
        }
        // the corner that has been in the cache longest, if it will still be when its fan is through
        fan = -1;
        let best = -1;
        for (const v of ring) {
            if (live[v] > 0) {
                const age = time - stamp[v];
                const priority = age + 2 * live[v] <= CACHE ? age : 0;
                if (priority > best) {
                    best = priority;
                    fan = v;
                }
            }
        }
        // a dead end: back along the way, or else to the next one that is left
        while (fan < 0 && dead.length > 0) {
            const v = dead.pop();
            fan = live[v] > 0 ? v : -1;
        }
        while (fan < 0 && cursor < count) {
            fan = live[cursor] > 0 ? cursor : -1;
            ++cursor;
        }
    }
    return out;
}
