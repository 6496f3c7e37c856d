// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The look of Phong materials for machines where the processor draws. Light is worked out here, once
// for each corner; pixels interpolate it. A vertex shader would do the same several times over, as
// what it found for a corner is soon forgotten.
//
// The sums are those of three's MeshPhongMaterial with an eye far away: Lambert's law, and Blinn and
// Phong's highlights with Schlick's Fresnel factor. Plain colours leave as the screen wants them,
// encoded; of a texture c in a light l it wants encode(c l), about encode(c) encode(l), as encoding
// is nearly a power.

import * as THREE from 'three';

const VERTEX = `
attribute vec4 shade, shadeBack;
varying vec3 front, back;
varying vec2 place;

void main()
{
    front = shade.rgb;
#ifdef DOUBLE
    back = shadeBack.rgb;
#endif
#ifdef PICTURE
    place = uv;
#endif
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}
`;

const FRAGMENT = `
uniform float opacity;
uniform sampler2D map;
varying vec3 front, back;
varying vec2 place;

void main()
{
    vec4 color = vec4(front, opacity);
#ifdef DOUBLE
    color.rgb = gl_FrontFacing ? front : back;
#endif
#ifdef PICTURE
    vec4 texel = texture2D(map, place);
    color *= vec4(BRIGHTEST * pow(texel.rgb, vec3(0.4545)), texel.a);
#endif
    gl_FragColor = color;
}
`;

// the largest light on a texture that a shade can hold
const BRIGHTEST = 1.25;

// a material that shows shades, with sides and picture as a MeshPhongMaterial has them
export function makeQuick(phong) {
    const defines = {};
    if (phong.map) {
        defines.PICTURE = '';
        defines.BRIGHTEST = BRIGHTEST;
    }
    if (phong.side === THREE.DoubleSide) {
        defines.DOUBLE = '';
    }
    return new THREE.ShaderMaterial({
        uniforms: { opacity: { value: phong.opacity }, map: { value: phong.map } },
        defines,
        vertexShader: VERTEX,
        fragmentShader: FRAGMENT,
        side: phong.side,
        opacity: phong.opacity,
        transparent: phong.transparent,
    });
}

// ---- encoding -----------------------------------------------------------------------------------

// bytes for colours in [0, 1], in steps that are fine enough where the curve is steep
const STEPS = 4096;

function tableOf(encode) {
    return Uint8Array.from({ length: STEPS + 1 }, (_, i) =>
        Math.min(255, Math.round(255 * encode(i / STEPS))));
}

const ENCODED = tableOf((x) => x <= 0.0031308 ? 12.92 * x : 1.055 * x ** 0.41666 - 0.055);
// (BRIGHTEST s)^2.2 is the light of a shade s; the table spans lights up to 2
const LIGHTS = 2;
const ENCODED_LIGHT = tableOf((x) => (LIGHTS * x) ** 0.4545 / BRIGHTEST);

// ---- light --------------------------------------------------------------------------------------

// Light as the camera sees it: E(n) = a + b (n . up) + sun max(n . s, 0) + fill max(n . f, 0).
export class Light {
    constructor(stage) {
        this.stage = stage;
        this.version = 0;
        this.key = '';
    }

    // looks at camera and lamps; `version` changes when they did
    update() {
        const { camera, sky, sun, fill } = this.stage;
        const key = [...camera.quaternion, sky.color.getHex(), sky.groundColor.getHex(),
            ...sky.position].join();
        if (key === this.key) {
            return;
        }
        this.key = key;
        ++this.version;
        const turned = (vector) => vector.clone().normalize().applyQuaternion(camera.quaternion);
        this.up = sky.position.clone().normalize();
        this.sunWay = turned(sun.position);
        this.fillWay = turned(fill.position);
        const eye = turned(new THREE.Vector3(0, 0, 1));
        this.half = this.sunWay.clone().add(eye).normalize();
        this.fresnel = (1 - eye.dot(this.half)) ** 5;
        const strength = sky.intensity / Math.PI / 2;
        const [high, low] = [sky.color.toArray(), sky.groundColor.toArray()];
        this.a = high.map((c, i) => strength * (c + low[i]));
        this.b = high.map((c, i) => strength * (c - low[i]));
        this.sun = sun.intensity / Math.PI;
        this.fill = fill.intensity / Math.PI;
    }

    // Writes shades of corners [begin, end) with a material of one colour. `side` is -1 for the
    // back; `normals` are at 3 * index[corner].
    shade(shades, begin, end, index, normals, side, phong) {
        const { up, sunWay: s, fillWay: f, half: h, a, b } = this;
        const { shininess, map } = phong;
        const [dr, dg, db] = map ? [1, 1, 1] : phong.color.toArray();
        // highlights are those of the sun; pictures have none
        const F = phong.specular.toArray().map((c) => map ? 0
            : (c + (1 - c) * this.fresnel) * (0.125 * shininess + 0.25));
        const least = 1e-3 ** (1 / shininess);
        const table = map ? ENCODED_LIGHT : ENCODED;
        const steps = map ? STEPS / LIGHTS : STEPS;
        for (let c = begin; c < end; ++c) {
            const n = 3 * index[c];
            const x = side * normals[n];
            const y = side * normals[n + 1];
            const z = side * normals[n + 2];
            const above = x * up.x + y * up.y + z * up.z;
            const sun = this.sun * Math.max(0, x * s.x + y * s.y + z * s.z);
            const straight = sun + this.fill * Math.max(0, x * f.x + y * f.y + z * f.z);
            const nh = x * h.x + y * h.y + z * h.z;
            const gloss = nh > least ? sun * nh ** shininess : 0;
            const r = dr * (a[0] + b[0] * above + straight) + gloss * F[0];
            const g = dg * (a[1] + b[1] * above + straight) + gloss * F[1];
            const u = db * (a[2] + b[2] * above + straight) + gloss * F[2];
            shades[4 * c] = table[Math.min(STEPS, steps * r | 0)];
            shades[4 * c + 1] = table[Math.min(STEPS, steps * g | 0)];
            shades[4 * c + 2] = table[Math.min(STEPS, steps * u | 0)];
        }
    }

    // the same for corners with colours of their own, linear, without highlights
    shadeColors(shades, colors, index, normals, side) {
        const { up, sunWay: s, fillWay: f, a, b } = this;
        for (let c = 0; c < index.length; ++c) {
            const n = 3 * index[c];
            const x = side * normals[n];
            const y = side * normals[n + 1];
            const z = side * normals[n + 2];
            const above = x * up.x + y * up.y + z * up.z;
            const straight = this.sun * Math.max(0, x * s.x + y * s.y + z * s.z) +
                this.fill * Math.max(0, x * f.x + y * f.y + z * f.z);
            for (let k = 0; k < 3; ++k) {
                const value = colors[3 * c + k] * (a[k] + b[k] * above + straight);
                shades[4 * c + k] = ENCODED[Math.min(STEPS, STEPS * value | 0)];
            }
        }
    }
}
