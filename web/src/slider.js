// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A slider for a number, linear or logarithmic, with the number beside it.

import { formatNumber } from './palette.js';

const STEPS = 1000;

export class Slider {
    // change(value) is called while it is turned, at most once per picture
    constructor(parent, { name, label, hint, unit, low, high, start, logarithmic, whole }, change) {
        Object.assign(this, { unit, low, high, start, logarithmic, whole, change });
        const row = document.createElement('label');
        row.className = 'slider';
        const title = document.createElement('span');
        title.textContent = label;
        row.title = hint ?? '';
        this.output = document.createElement('output');
        this.input = document.createElement('input');
        this.input.type = 'range';
        this.input.id = `slider-${name}`;
        this.input.min = 0;
        this.input.max = whole ? high - low : STEPS;
        this.input.setAttribute('aria-label', label);
        row.append(title, this.input, this.output);
        parent.append(row);
        this.input.addEventListener('input', () => this.turned(this.read()));
        this.input.addEventListener('dblclick', () => this.turned(this.start));
        this.input.addEventListener('pointerdown', () => {
            this.busy = true;
        });
        for (const event of ['pointerup', 'pointercancel', 'blur', 'change']) {
            this.input.addEventListener(event, () => {
                this.busy = false;
            });
        }
    }

    read() {
        const part = this.input.value / STEPS;
        if (this.whole) {
            return this.low + Number(this.input.value);
        }
        return this.logarithmic ? this.low * (this.high / this.low) ** part
            : this.low + (this.high - this.low) * part;
    }

    turned(value) {
        this.write(value);
        if (this.waiting === undefined) {
            requestAnimationFrame(() => {
                this.change(this.waiting);
                this.waiting = undefined;
            });
        }
        this.waiting = value;
    }

    write(value) {
        const part = this.logarithmic
            ? Math.log(value / this.low) / Math.log(this.high / this.low)
            : (value - this.low) / (this.high - this.low);
        this.input.value = this.whole ? value - this.low : Math.round(STEPS * part);
        const text = formatNumber(value, this.unit);
        this.output.textContent = this.unit === '×' ? text.replace(' ', '') : text;
        this.input.setAttribute('aria-valuetext', text);
    }

    // the server's number, unless somebody turns it just now
    update(value) {
        if (!this.busy && this.waiting === undefined) {
            this.write(value);
        }
    }
}
