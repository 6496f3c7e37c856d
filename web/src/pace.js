// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How fine pictures are while things move: as fine as leaves 30 of them a second, by the time from
// the browser's call that shows one to its next call, which waits for that one to be drawn.

// `quick`: light at vertices instead of pixels; `scale`: of the canvas' width and height in pixels
export const LEVELS = [
    { quick: false, scale: 1 },
    { quick: true, scale: 1 },
    { quick: true, scale: 0.75 },
    { quick: true, scale: 0.5 },
];

// mean times of pictures, ms, beyond which pictures get coarser, and below which finer again
const SLOW = 29;
const FAST = 18;
const TRIES = 12; // pictures in a mean before they get coarser
const PATIENCE = 120; // and before they may get finer
const GAP = 400; // ms; that was something else than a picture
const HELPS = 0.93; // of the mean before: a coarser level that saves less is not worth it

export class Pace {
    // `level`: to begin with
    constructor(level) {
        this.reset(level);
    }

    reset(level) {
        this.level = level;
        this.best = 0; // levels to choose from
        this.worst = LEVELS.length - 1;
        this.before = Infinity; // mean at the level that was left as too slow
        this.rose = false;
        this.rest();
    }

    // nothing moves: what comes next begins a new mean
    rest() {
        this.last = null; // when the last picture was shown, if that was the last call
        this.count = 0;
        this.sum = 0;
    }

    // a call at a time, in ms, with a picture to show or without
    call(now, picture) {
        const passed = this.last === null ? Infinity : now - this.last;
        this.last = picture ? now : null;
        if (passed > GAP) {
            return;
        }
        this.sum += passed;
        ++this.count;
        const mean = this.sum / this.count;
        if (this.count >= TRIES && mean > HELPS * this.before) {
            this.worst = this.level - 1;
            this.go(this.worst, Infinity);
        } else if (this.count >= TRIES && mean > SLOW && this.level < this.worst) {
            // a level that was tried again, and is too slow again, is not tried a third time
            this.best = this.rose ? this.level + 1 : this.best;
            this.rose = false;
            this.go(this.level + 1, mean);
        } else if (this.count >= PATIENCE) {
            this.rose = mean < FAST && this.level > this.best;
            this.go(this.level - (this.rose ? 1 : 0), Infinity);
        }
    }

    go(level, before) {
        this.level = level;
        this.before = before;
        this.rest();
    }
}
