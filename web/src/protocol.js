// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Messages to and from the server; docs/viewer.md has their layout.

const VERSION = 1;
const HEADER = 8;

export const Kind = {
    DRAG_START: 1, DRAG_MOVE: 2, DRAG_END: 3, PLAY: 4, SPEED: 5, KNOB: 6, METHOD: 7, SHOW: 8,
    PULL: 9, RECORD: 10, SEEN: 11, SCENE: 64, STATE: 65, NOTICE: 66, FRAME: 67,
};
export const Play = { PAUSE: 0, GO: 1, STEP: 2, RESET: 3 };
export const Method = { INTEGRATOR: 0, SOLVER: 1 };
export const Extra = { VOLUME: 1, STRESS: 2, STRAIN: 4, LOADS: 8 };

// ---- to the server ------------------------------------------------------------------------------

// a message of values written by 'u' (uint32), 'f' (float32) and 'd' (float64)
function encode(kind, layout, values) {
    const size = HEADER + [...layout].reduce((sum, c) => sum + (c === 'd' ? 8 : 4), 0);
    const view = new DataView(new ArrayBuffer(size));
    view.setUint8(0, 0x4c);
    view.setUint8(1, 0x59);
    view.setUint8(2, VERSION);
    view.setUint8(3, kind);
    view.setUint32(4, size, true);
    let at = HEADER;
    values.forEach((value, i) => {
        if (layout[i] === 'u') {
            view.setUint32(at, value, true);
        } else if (layout[i] === 'f') {
            view.setFloat32(at, value, true);
        } else {
            view.setFloat64(at, value, true);
        }
        at += layout[i] === 'd' ? 8 : 4;
    });
    return view.buffer;
}

export const dragStart = (id, surface, triangle, weights, target) =>
    encode(Kind.DRAG_START, 'uuuffffff', [id, surface, triangle, ...weights, ...target]);
export const dragMove = (id, target) => encode(Kind.DRAG_MOVE, 'ufff', [id, ...target]);
export const dragEnd = (id) => encode(Kind.DRAG_END, 'u', [id]);
export const play = (word) => encode(Kind.PLAY, 'u', [word]);
export const speed = (factor) => encode(Kind.SPEED, 'd', [factor]);
export const knob = (index, value) => encode(Kind.KNOB, 'ud', [index, value]);
export const method = (kind, index) => encode(Kind.METHOD, 'uu', [kind, index]);
export const show = (field, extras) => encode(Kind.SHOW, 'uu', [field, extras]);
export const pull = (stiffness, rings) => encode(Kind.PULL, 'du', [stiffness, rings]);
export const record = (on) => encode(Kind.RECORD, 'u', [on ? 1 : 0]);
export const seen = (count) => encode(Kind.SEEN, 'u', [count]);

// ---- from the server ----------------------------------------------------------------------------

// JSON with arrays behind it; `array(place, Type)` reads one
function decodeJson(buffer) {
    const view = new DataView(buffer);
    const length = view.getUint32(HEADER, true);
    const begin = HEADER + 8;
    const json = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, begin, length)));
    const array = ([offset, bytes], Type) =>
        new Type(buffer, begin + length + offset, bytes / Type.BYTES_PER_ELEMENT);
    return { json, array };
}

const NUMBERS = ['time', 'steps', 'dt', 'kinetic', 'elastic', 'dissipated', 'work', 'minDet',
    'stepSeconds', 'assemblySeconds', 'solveSeconds', 'newton', 'linear', 'low', 'high', 'rate'];
const PARTS = [['surface', 3], ['field', 1], ['volume', 3], ['fixed', 3], ['ellipsoids', 12],
    ['loads', 7], ['drags', 9]];

function decodeFrame(buffer) {
    const frame = {};
    const numbers = new Float64Array(buffer, HEADER, NUMBERS.length);
    NUMBERS.forEach((name, i) => {
        frame[name] = numbers[i];
    });
    let at = HEADER + numbers.byteLength;
    const counts = new Uint32Array(buffer, at, PARTS.length + 1);
    at += counts.byteLength;
    PARTS.forEach(([name, width], i) => {
        frame[name] = new Float32Array(buffer, at, counts[i] * width);
        at += frame[name].byteLength;
    });
    frame.playing = counts[PARTS.length] !== 0;
    frame.probes = new Float32Array(buffer, at);
    return frame;
}

// { kind, ... } of a message; throws where it is not one
export function decode(buffer) {
    const view = new DataView(buffer);
    if (view.getUint16(0, true) !== 0x594c || view.getUint8(2) !== VERSION ||
        view.getUint32(4, true) !== buffer.byteLength) {
        throw new Error('not a message of this viewer');
    }
    const kind = view.getUint8(3);
    switch (kind) {
    case Kind.SCENE:
    case Kind.STATE:
        return { kind, ...decodeJson(buffer) };
    case Kind.NOTICE:
        return { kind, text: new TextDecoder().decode(new Uint8Array(buffer, HEADER)) };
    case Kind.FRAME:
        return { kind, frame: decodeFrame(buffer) };
    default:
        throw new Error(`a message of kind ${kind}`);
    }
}
