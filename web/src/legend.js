// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The legend of the colours; a click holds its range.

import { formatNumber } from './palette.js';

export class Legend {
    constructor() {
        this.box = document.getElementById('legend');
        this.colors = document.getElementById('legend-colors');
        this.name = document.getElementById('legend-name');
        this.low = document.getElementById('legend-low');
        this.high = document.getElementById('legend-high');
        this.hold = document.getElementById('legend-hold');
        this.box.addEventListener('click', () => {
            this.palette.held = !this.palette.held;
            this.update();
        });
    }

    // null: no field is shown
    setPalette(palette) {
        this.palette = palette;
        this.box.hidden = palette === null;
        if (palette) {
            const context = this.colors.getContext('2d');
            const bytes = new Uint8ClampedArray(palette.bytes[palette.name]);
            context.putImageData(new ImageData(bytes, 256, 1), 0, 0);
            this.name.textContent = palette.field.label;
            this.update();
        }
    }

    update() {
        const { palette } = this;
        if (palette) {
            this.low.textContent = formatNumber(palette.low, palette.field.unit);
            this.high.textContent = formatNumber(palette.high, palette.field.unit);
            this.hold.textContent = palette.held ? 'held' : '';
        }
    }
}
