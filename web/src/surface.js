// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Surfaces of bodies: positions of a frame, smooth normals, colours of a field, edges.

import * as THREE from 'three';

const PLAIN = new THREE.Color(0.42, 0.58, 0.75);

function makeTexture(look, array) {
    const { width, height, pixels } = look;
    const texture = new THREE.DataTexture(new Uint8Array(array(pixels, Uint8Array)), width, height);
    texture.colorSpace = THREE.SRGBColorSpace;
    texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
    texture.magFilter = THREE.LinearFilter;
    texture.minFilter = THREE.LinearMipmapLinearFilter;
    texture.generateMipmaps = true;
    texture.needsUpdate = true;
    return texture;
}

function makeMaterial(look, array, side) {
    const material = new THREE.MeshPhongMaterial({
        color: PLAIN, specular: 0x222222, shininess: 30, side,
    });
    if (look.diffuse) {
        material.color.setRGB(...look.diffuse, THREE.SRGBColorSpace);
        material.specular.setRGB(...look.specular, THREE.SRGBColorSpace).multiplyScalar(0.5);
        material.shininess = Math.min(Math.max(look.shininess, 1), 200);
        material.opacity = look.opacity;
        material.transparent = look.opacity < 1;
    }
    if (look.texture) {
        material.map = makeTexture(look.texture, array);
        material.color.setScalar(1);
    }
    return material;
}

// pairs of corners, each edge once
function findEdges(triangles, source) {
    const seen = new Set();
    const edges = [];
    const count = source.length;
    for (let t = 0; t < triangles.length; t += 3) {
        for (let i = 0; i < 3; ++i) {
            const a = triangles[t + i];
            const b = triangles[t + (i + 1) % 3];
            const [low, high] = source[a] < source[b] ? [source[a], source[b]]
                : [source[b], source[a]];
            const key = low * count + high;
            if (!seen.has(key)) {
                seen.add(key);
                edges.push(a, b);
            }
        }
    }
    return new Uint32Array(edges);
}

export class Surface {
    // `first`: of its vertices in a frame
    constructor(data, array, first) {
        this.first = first;
        this.count = data.vertices;
        this.source = array(data.source, Uint32Array);
        this.triangles = array(data.triangles, Uint32Array);
        this.corners = this.triangles.map((corner) => this.source[corner]);
        // corners at a sharp edge have normals of their own
        this.normal = array(data.normal, Uint32Array);
        this.smooth = this.triangles.map((corner) => this.normal[corner]);
        this.normals = new Float32Array(3 * data.normals);
        const size = this.source.length;
        this.geometry = new THREE.BufferGeometry();
        for (const [name, width] of [['position', 3], ['normal', 3], ['color', 3]]) {
            const attribute = new THREE.BufferAttribute(new Float32Array(width * size), width);
            attribute.setUsage(THREE.DynamicDrawUsage);
            this.geometry.setAttribute(name, attribute);
        }
        if (data.texcoords) {
            // rows of pictures come from the top
            const texcoords = array(data.texcoords, Float32Array).map((x, i) => i % 2 ? 1 - x : x);
            this.geometry.setAttribute('uv', new THREE.BufferAttribute(texcoords, 2));
        }
        this.geometry.setIndex(new THREE.BufferAttribute(this.triangles, 1));
        const side = data.closed ? THREE.FrontSide : THREE.DoubleSide;
        this.looks = data.materials.map((look) => makeMaterial(look, array, side));
        data.materials.forEach((look, i) => {
            this.geometry.addGroup(3 * look.first, 3 * look.count, i);
        });
        this.colored = new THREE.MeshPhongMaterial({
            vertexColors: true, specular: 0x111111, shininess: 20, side,
        });
        this.coloredList = data.materials.map(() => this.colored);
        this.mesh = new THREE.Mesh(this.geometry, this.looks);
        this.mesh.frustumCulled = false;
        this.mesh.userData.surface = this;
        this.wire = null;
    }

    // edges share the positions of the faces; they are found when first asked for
    showWire(on, color) {
        if (on && !this.wire) {
            const geometry = new THREE.BufferGeometry();
            geometry.setAttribute('position', this.geometry.getAttribute('position'));
            geometry.setIndex(new THREE.BufferAttribute(
                findEdges(this.triangles, this.source), 1));
            this.wire = new THREE.LineSegments(geometry,
                new THREE.LineBasicMaterial({ transparent: true, opacity: 0.35 }));
            this.wire.frustumCulled = false;
            this.mesh.add(this.wire);
        }
        if (this.wire && (this.wire.visible !== on || !this.wire.drawn)) {
            this.wire.drawn = true;
            this.wire.visible = on;
            // faces step back behind their edges
            for (const material of [...this.looks, this.colored]) {
                material.polygonOffset = on;
                material.polygonOffsetFactor = material.polygonOffsetUnits = 1;
            }
        }
        this.wire?.material.color.set(color);
    }

    // `ghost`: faces let the inside shine through
    setGhost(on) {
        for (const material of [...this.looks, this.colored]) {
            material.userData.opacity ??= material.opacity;
            material.opacity = on ? 0.25 : material.userData.opacity;
            material.transparent = material.opacity < 1;
            material.depthWrite = !on;
            material.needsUpdate = true;
        }
    }

    // sums of the faces' vector areas around each vertex
    findNormals(x) {
        const { normals, corners, smooth } = this;
        normals.fill(0);
        for (let c = 0; c < corners.length; c += 3) {
            const i = 3 * corners[c];
            const j = 3 * corners[c + 1];
            const k = 3 * corners[c + 2];
            const ax = x[j] - x[i];
            const ay = x[j + 1] - x[i + 1];
            const az = x[j + 2] - x[i + 2];
            const bx = x[k] - x[i];
            const by = x[k + 1] - x[i + 1];
            const bz = x[k + 2] - x[i + 2];
            const nx = ay * bz - az * by;
            const ny = az * bx - ax * bz;
            const nz = ax * by - ay * bx;
            for (let corner = c; corner < c + 3; ++corner) {
                const n = 3 * smooth[corner];
                normals[n] += nx;
                normals[n + 1] += ny;
                normals[n + 2] += nz;
            }
        }
        // areas in metres squared may be too small for the shader
        for (let i = 0; i < normals.length; i += 3) {
            const length = Math.hypot(normals[i], normals[i + 1], normals[i + 2]) || 1;
            normals[i] /= length;
            normals[i + 1] /= length;
            normals[i + 2] /= length;
        }
    }

    // `palette`: of the field, or null
    update(frame, palette) {
        const x = frame.surface.subarray(3 * this.first, 3 * (this.first + this.count));
        this.x = x;
        this.findNormals(x);
        const position = this.geometry.getAttribute('position');
        const normal = this.geometry.getAttribute('normal');
        const { source } = this;
        for (let r = 0; r < source.length; ++r) {
            const from = 3 * source[r];
            const along = 3 * this.normal[r];
            for (let i = 0; i < 3; ++i) {
                position.array[3 * r + i] = x[from + i];
                normal.array[3 * r + i] = this.normals[along + i];
            }
        }
        position.needsUpdate = true;
        normal.needsUpdate = true;
        const colored = palette !== null && frame.field.length > 0;
        this.mesh.material = colored ? this.coloredList : this.looks;
        if (colored) {
            this.updateColors(frame, palette);
        }
    }

    updateColors(frame, palette) {
        const color = this.geometry.getAttribute('color');
        const { source } = this;
        for (let r = 0; r < source.length; ++r) {
            palette.write(frame.field[this.first + source[r]], color.array, 3 * r);
        }
        color.needsUpdate = true;
    }

    // The closest triangle on a ray, as { distance, triangle, weights, point }; null for none. As
    // Moeller and Trumbore have it.
    pick(ray) {
        const { x, corners } = this;
        if (!x) {
            return null;
        }
        const { origin: o, direction: d } = ray;
        let best = null;
        for (let c = 0; c < corners.length; c += 3) {
            const i = 3 * corners[c];
            const j = 3 * corners[c + 1];
            const k = 3 * corners[c + 2];
            const ax = x[j] - x[i];
            const ay = x[j + 1] - x[i + 1];
            const az = x[j + 2] - x[i + 2];
            const bx = x[k] - x[i];
            const by = x[k + 1] - x[i + 1];
            const bz = x[k + 2] - x[i + 2];
            const px = d.y * bz - d.z * by;
            const py = d.z * bx - d.x * bz;
            const pz = d.x * by - d.y * bx;
            const det = ax * px + ay * py + az * pz;
            if (det === 0) {
                continue;
            }
            const tx = o.x - x[i];
            const ty = o.y - x[i + 1];
            const tz = o.z - x[i + 2];
            const u = (tx * px + ty * py + tz * pz) / det;
            const qx = ty * az - tz * ay;
            const qy = tz * ax - tx * az;
            const qz = tx * ay - ty * ax;
            const v = (d.x * qx + d.y * qy + d.z * qz) / det;
            const distance = (bx * qx + by * qy + bz * qz) / det;
            if (u >= 0 && v >= 0 && u + v <= 1 && distance > 0 &&
                (!best || distance < best.distance)) {
                best = { distance, triangle: c / 3, weights: [1 - u - v, u, v] };
            }
        }
        if (best) {
            best.point = ray.at(best.distance, new THREE.Vector3());
        }
        return best;
    }

    dispose() {
        this.geometry.dispose();
        for (const material of [...this.looks, this.colored]) {
            material.map?.dispose();
            material.dispose();
        }
        this.wire?.geometry.dispose();
        this.wire?.material.dispose();
    }
}
