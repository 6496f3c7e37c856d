// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Surfaces of bodies: positions of a frame, smooth normals, colours of a field, edges.

import * as THREE from 'three';
import { makeQuick } from './quick.js';
import { orderTriangles } from './reorder.js';

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

// The corners in another order, in which triangles that follow one another share those that are at
// hand: { source, normal, texcoords, triangles, ranges }, the latter by materials.
function reorder(data, array) {
    const source = array(data.source, Uint32Array);
    const normal = array(data.normal, Uint32Array);
    const texcoords = data.texcoords ? array(data.texcoords, Float32Array) : null;
    const triangles = array(data.triangles, Uint32Array);
    const out = {
        source: new Uint32Array(source.length),
        normal: new Uint32Array(source.length),
        texcoords: texcoords && new Float32Array(texcoords.length),
        triangles: new Uint32Array(triangles.length),
        ranges: [],
    };
    const place = new Int32Array(source.length).fill(-1);
    let end = 0;
    for (const look of data.materials) {
        // corners of a material stand together
        const part = triangles.subarray(3 * look.first, 3 * (look.first + look.count));
        const [low, high] = part.reduce(([a, b], c) => [Math.min(a, c), Math.max(b, c)],
            [Infinity, -1]);
        const begin = end;
        orderTriangles(part, low, high - low + 1).forEach((corner, c) => {
            if (place[corner] < 0) {
                place[corner] = end;
                out.source[end] = source[corner];
                out.normal[end] = normal[corner];
                // rows of pictures come from the top
                out.texcoords?.set([texcoords[2 * corner], 1 - texcoords[2 * corner + 1]], 2 * end);
                ++end;
            }
            out.triangles[3 * look.first + c] = place[corner];
        });
        out.ranges.push([begin, end]);
    }
    return out;
}

export class Surface {
    // `first`: of its vertices in a frame
    constructor(data, array, first) {
        this.first = first;
        this.count = data.vertices;
        const drawn = reorder(data, array);
        this.source = drawn.source;
        this.ranges = drawn.ranges;
        this.index = drawn.triangles;
        // as the server numbers them
        const normal = array(data.normal, Uint32Array);
        const source = array(data.source, Uint32Array);
        this.triangles = array(data.triangles, Uint32Array);
        this.corners = this.triangles.map((corner) => source[corner]);
        // corners at a sharp edge have normals of their own
        this.normal = drawn.normal;
        this.smooth = this.triangles.map((corner) => normal[corner]);
        this.normals = new Float32Array(3 * data.normals);
        this.geometry = new THREE.BufferGeometry();
        this.addAttribute('position', Float32Array, 3);
        if (drawn.texcoords) {
            this.geometry.setAttribute('uv', new THREE.BufferAttribute(drawn.texcoords, 2));
        }
        this.geometry.setIndex(new THREE.BufferAttribute(this.index, 1));
        this.side = data.closed ? THREE.FrontSide : THREE.DoubleSide;
        this.makeMaterials(data, array);
        this.mesh = new THREE.Mesh(this.geometry, this.lists.fine.looks);
        this.mesh.frustumCulled = false;
        this.wire = null;
        this.palette = null; // of the field that is shown
        this.stale = { fine: true, quick: true }; // what comes with positions
    }

    addAttribute(name, Type, width) {
        const attribute = new THREE.BufferAttribute(new Type(width * this.source.length), width,
            Type === Uint8Array);
        attribute.setUsage(THREE.DynamicDrawUsage);
        this.geometry.setAttribute(name, attribute);
        return attribute;
    }

    // one of them, made when first asked for
    attribute(name, Type, width) {
        return this.geometry.getAttribute(name) ?? this.addAttribute(name, Type, width);
    }

    // lists by groups: the material itself or a field, to look at or in a hurry
    makeMaterials(data, array) {
        const looks = data.materials.map((look) => makeMaterial(look, array, this.side));
        const colored = new THREE.MeshPhongMaterial({
            vertexColors: true, specular: 0x111111, shininess: 20, side: this.side,
        });
        const quick = makeQuick(colored);
        const quickLooks = looks.map(makeQuick);
        this.lists = {
            fine: { looks, colored: looks.map(() => colored) },
            quick: { looks: quickLooks, colored: looks.map(() => quick) },
        };
        this.materials = [...looks, colored, ...quickLooks, quick];
        data.materials.forEach((look, i) => {
            this.geometry.addGroup(3 * look.first, 3 * look.count, i);
        });
    }

    // edges share the positions of the faces; they are found when first asked for
    showWire(on, color) {
        if (on && !this.wire) {
            const geometry = new THREE.BufferGeometry();
            geometry.setAttribute('position', this.geometry.getAttribute('position'));
            geometry.setIndex(new THREE.BufferAttribute(
                findEdges(this.index, this.source), 1));
            this.wire = new THREE.LineSegments(geometry,
                new THREE.LineBasicMaterial({ transparent: true, opacity: 0.35 }));
            this.wire.frustumCulled = false;
            this.mesh.add(this.wire);
        }
        if (this.wire && (this.wire.visible !== on || !this.wire.drawn)) {
            this.wire.drawn = true;
            this.wire.visible = on;
            // faces step back behind their edges
            for (const material of this.materials) {
                material.polygonOffset = on;
                material.polygonOffsetFactor = material.polygonOffsetUnits = 1;
            }
        }
        this.wire?.material.color.set(color);
    }

    // `ghost`: faces let the inside shine through
    setGhost(on) {
        for (const material of this.materials) {
            material.userData.opacity ??= material.opacity;
            material.opacity = on ? 0.25 : material.userData.opacity;
            material.transparent = material.opacity < 1;
            material.depthWrite = !on;
            if (material.uniforms) {
                material.uniforms.opacity.value = material.opacity;
            }
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
            const [x, y, z] = [normals[i], normals[i + 1], normals[i + 2]];
            const scale = 1 / (Math.sqrt(x * x + y * y + z * z) || 1);
            normals[i] *= scale;
            normals[i + 1] *= scale;
            normals[i + 2] *= scale;
        }
    }

    // `palette`: of the field, or null
    update(frame, palette) {
        const x = frame.surface.subarray(3 * this.first, 3 * (this.first + this.count));
        this.x = x;
        this.findNormals(x);
        const position = this.geometry.getAttribute('position');
        const { source } = this;
        const { array } = position;
        for (let r = 0; r < source.length; ++r) {
            const from = 3 * source[r];
            array[3 * r] = x[from];
            array[3 * r + 1] = x[from + 1];
            array[3 * r + 2] = x[from + 2];
        }
        position.needsUpdate = true;
        this.palette = palette !== null && frame.field.length > 0 ? palette : null;
        if (this.palette) {
            this.updateColors(frame);
        }
        this.stale.fine = this.stale.quick = true;
    }

    updateColors(frame) {
        const color = this.attribute('color', Float32Array, 3);
        const { source } = this;
        for (let r = 0; r < source.length; ++r) {
            this.palette.write(frame.field[this.first + source[r]], color.array, 3 * r);
        }
    }

    // before a picture: what its materials need besides positions
    prepare(quick, light) {
        const list = this.lists[quick ? 'quick' : 'fine'];
        this.mesh.material = this.palette ? list.colored : list.looks;
        if (quick && (this.stale.quick || this.lit !== light.version)) {
            this.shade('shade', 1, light);
            if (this.side === THREE.DoubleSide) {
                this.shade('shadeBack', -1, light);
            }
            this.lit = light.version;
            this.stale.quick = false;
        } else if (!quick && this.stale.fine) {
            this.spreadNormals();
            if (this.palette) {
                this.geometry.getAttribute('color').needsUpdate = true;
            }
            this.stale.fine = false;
        }
    }

    shade(name, side, light) {
        const attribute = this.attribute(name, Uint8Array, 4);
        const shades = attribute.array;
        if (this.palette) {
            light.shadeColors(shades, this.geometry.getAttribute('color').array, this.normal,
                this.normals, side);
        } else {
            this.lists.fine.looks.forEach((phong, i) => {
                const [begin, end] = this.ranges[i];
                light.shade(shades, begin, end, this.normal, this.normals, side, phong);
            });
        }
        attribute.needsUpdate = true;
    }

    spreadNormals() {
        const attribute = this.attribute('normal', Float32Array, 3);
        for (let r = 0; r < this.normal.length; ++r) {
            for (let i = 0; i < 3; ++i) {
                attribute.array[3 * r + i] = this.normals[3 * this.normal[r] + i];
            }
        }
        attribute.needsUpdate = true;
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
        for (const material of this.materials) {
            material.map?.dispose();
            material.dispose();
        }
        this.wire?.geometry.dispose();
        this.wire?.material.dispose();
    }
}
