// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause
//
// From numbers of a field to colours, and the range that they span.

import * as THREE from 'three';

export const FIELDS = [
    { name: 'none', label: 'Material' },
    { name: 'von-mises', label: 'Von Mises stress', unit: 'Pa', stress: true },
    { name: 'energy', label: 'Strain energy density', unit: 'J/m³', stress: true },
    { name: 'det', label: 'Volume ratio det F', unit: '', middle: 1 },
    { name: 'displacement', label: 'Displacement', unit: 'm' },
    { name: 'speed', label: 'Speed', unit: 'm/s' },
    { name: 'plastic-strain', label: 'Plastic strain', unit: '', memory: true },
    { name: 'goal-distance', label: 'Distance to the goal', unit: '', memory: true },
    { name: 'plastic-loss', label: 'Lost in flow', unit: 'J/m³', memory: true },
    { name: 'viscous-loss', label: 'Lost in relaxation', unit: 'J/m³', memory: true },
    { name: 'strain', label: 'Strain of cloth', unit: '', cloth: true },
];

export class Palette {
    // tables of 256 colours, RGBA in bytes
    constructor(sequential, diverging) {
        this.bytes = { sequential, diverging };
        this.linear = {};
        const color = new THREE.Color();
        for (const name of ['sequential', 'diverging']) {
            this.linear[name] = new Float32Array(3 * 256);
            for (let i = 0; i < 256; ++i) {
                const [r, g, b] = this.bytes[name].subarray(4 * i, 4 * i + 3);
                color.setRGB(r / 255, g / 255, b / 255, THREE.SRGBColorSpace);
                color.toArray(this.linear[name], 3 * i);
            }
        }
        this.low = 0;
        this.high = 1;
        this.held = false;
        this.choose(0);
    }

    choose(field) {
        this.field = FIELDS[field];
        this.name = this.field.middle === undefined ? 'sequential' : 'diverging';
        this.table = this.linear[this.name];
        this.fresh = true;
        this.held = false;
    }

    // The range grows at once and shrinks slowly, so that colours do not flicker.
    follow(low, high) {
        if (this.held || !Number.isFinite(low) || !Number.isFinite(high)) {
            return;
        }
        const { middle } = this.field;
        let [a, b] = [0, high];
        if (middle !== undefined) {
            const reach = Math.max(middle - low, high - middle, 0.02);
            [a, b] = [middle - reach, middle + reach];
        }
        const mix = this.fresh ? 1 : 0.02;
        this.high = b > this.high || this.fresh ? b : this.high + mix * (b - this.high);
        this.low = a < this.low || this.fresh ? a : this.low + mix * (a - this.low);
        if (!(this.high > this.low)) {
            this.high = this.low + 1e-12;
        }
        this.fresh = false;
    }

    write(value, array, at) {
        const part = (value - this.low) / (this.high - this.low);
        const i = 3 * Math.max(0, Math.min(255, Math.round(255 * part))) || 0;
        array[at] = this.table[i];
        array[at + 1] = this.table[i + 1];
        array[at + 2] = this.table[i + 2];
    }
}

// 12300 Pa as "12.3 kPa"
export function formatNumber(value, unit = '') {
    if (!Number.isFinite(value)) {
        return '–';
    }
    const scaled = ['Pa', 'N', 'J', 'N/m', 'J/m³', 'W'].includes(unit);
    const small = ['m', 's', 'm/s', 'N', 'J', 'W'].includes(unit);
    const steps = [[1e9, 'G'], [1e6, 'M'], [1e3, 'k']];
    const low = [[1e-3, 'm'], [1e-6, 'µ'], [1e-9, 'n']];
    const size = Math.abs(value);
    let [factor, prefix] = [1, ''];
    if (scaled && size >= 1e3) {
        [factor, prefix] = steps.find(([f]) => size >= f);
    } else if (small && size > 0 && size < 0.1) {
        [factor, prefix] = low.find(([f]) => size >= f) ?? [1, ''];
    }
    const number = value / factor;
    const plain = Math.abs(number) >= 1e4 || (number !== 0 && Math.abs(number) < 1e-3)
        ? number.toExponential(1) : String(Number(number.toPrecision(3)));
    return unit || prefix ? `${plain} ${prefix}${unit}` : plain;
}
