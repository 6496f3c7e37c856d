// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Small charts of numbers over the last frames.

import { formatNumber } from './palette.js';

const LENGTH = 240;

export class Chart {
    // series: [{ label, color (of the style sheet), of(frame) }]
    constructor(parent, title, unit, series) {
        this.unit = unit;
        this.series = series.map((one) => ({ ...one, values: [] }));
        const figure = document.createElement('figure');
        figure.className = 'chart';
        const caption = document.createElement('figcaption');
        caption.append(title);
        this.labels = this.series.map((one) => {
            const label = document.createElement('span');
            label.style.setProperty('--series', `var(${one.color})`);
            caption.append(label);
            return label;
        });
        this.canvas = document.createElement('canvas');
        figure.append(caption, this.canvas);
        parent.append(figure);
        this.figure = figure;
    }

    remove() {
        this.figure.remove();
    }

    clear() {
        this.series.forEach((one) => {
            one.values = [];
        });
    }

    add(frame) {
        for (const one of this.series) {
            one.values.push(one.of(frame));
            if (one.values.length > LENGTH) {
                one.values.shift();
            }
        }
    }

    draw() {
        const { canvas } = this;
        const ratio = Math.min(devicePixelRatio, 2);
        const width = canvas.clientWidth * ratio;
        const height = canvas.clientHeight * ratio;
        if (width === 0) {
            return;
        }
        if (canvas.width !== width || canvas.height !== height) {
            canvas.width = width;
            canvas.height = height;
        }
        const style = getComputedStyle(canvas);
        const context = canvas.getContext('2d');
        context.clearRect(0, 0, width, height);
        const all = this.series.flatMap((one) => one.values);
        const high = Math.max(...all, 0) || 1;
        const low = Math.min(...all, 0);
        const y = (value) => height - 2 - (height - 4) * (value - low) / (high - low);
        this.series.forEach((one, s) => {
            const last = one.values[one.values.length - 1];
            this.labels[s].textContent = `${one.label} ${formatNumber(last ?? 0, this.unit)}`;
            context.strokeStyle = style.getPropertyValue(one.color);
            context.lineWidth = 1.5 * ratio;
            context.beginPath();
            one.values.forEach((value, i) => {
                context.lineTo(width * (i + LENGTH - one.values.length) / (LENGTH - 1), y(value));
            });
            context.stroke();
        });
    }
}
