// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What stands around the surfaces: the volumetric mesh, fixed vertices, arrows of loads and drags,
// ellipsoids of stress and strain.

import * as THREE from 'three';
import { eigen } from './eigen.js';

const FIXED = 0xe0564a;
const LOAD = 0xf0a93b;
const DRAG = 0x39c46b;
const PRESSED = new THREE.Color(0x3f7fd0);
const PULLED = new THREE.Color(0xd0503f);

// many arrows of one colour: shafts and heads, as two instanced meshes
class Arrows {
    constructor(color, most) {
        const material = new THREE.MeshPhongMaterial({ color, emissive: color,
            emissiveIntensity: 0.35, depthTest: true });
        const shaft = new THREE.CylinderGeometry(1, 1, 1, 10).translate(0, 0.5, 0);
        const head = new THREE.ConeGeometry(1, 1, 16).translate(0, -0.5, 0);
        this.shafts = new THREE.InstancedMesh(shaft, material, most);
        this.heads = new THREE.InstancedMesh(head, material, most);
        this.group = new THREE.Group();
        this.group.add(this.shafts, this.heads);
        for (const mesh of [this.shafts, this.heads]) {
            mesh.frustumCulled = false;
            mesh.count = 0;
        }
        this.most = most;
        this.count = 0;
    }

    begin() {
        this.count = 0;
    }

    // from a to b, as thick as `width`
    add(a, b, width) {
        const way = new THREE.Vector3().subVectors(b, a);
        const length = way.length();
        if (this.count === this.most || length < 1e-9) {
            return;
        }
        const head = Math.min(4 * width, 0.5 * length);
        const turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 1, 0),
            way.normalize());
        const matrix = new THREE.Matrix4();
        this.shafts.setMatrixAt(this.count, matrix.compose(a, turn,
            new THREE.Vector3(width, length - head, width)));
        this.heads.setMatrixAt(this.count, matrix.compose(b, turn,
            new THREE.Vector3(2.2 * width, head, 2.2 * width)));
        ++this.count;
    }

    end() {
        for (const mesh of [this.shafts, this.heads]) {
            mesh.count = this.count;
            mesh.instanceMatrix.needsUpdate = true;
        }
    }
}

// a round spot
function makeSpot() {
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = 32;
    const context = canvas.getContext('2d');
    context.fillStyle = '#fff';
    context.arc(16, 16, 15, 0, 2 * Math.PI);
    context.fill();
    return new THREE.CanvasTexture(canvas);
}

const SPOT = makeSpot();

function pointCloud(color, size) {
    const geometry = new THREE.BufferGeometry();
    const points = new THREE.Points(geometry, new THREE.PointsMaterial({ color, size,
        sizeAttenuation: false, map: SPOT, alphaTest: 0.5 }));
    points.frustumCulled = false;
    return points;
}

function setPoints(object, values) {
    const old = object.geometry.getAttribute('position');
    if (old && old.array.length === values.length) {
        old.array.set(values);
        old.needsUpdate = true;
    } else {
        object.geometry.setAttribute('position',
            new THREE.BufferAttribute(new Float32Array(values), 3));
    }
}

export class Overlays {
    constructor(stage) {
        this.stage = stage;
        this.group = new THREE.Group();
        stage.scene.add(this.group);
        this.fixed = pointCloud(FIXED, 6);
        this.picked = pointCloud(DRAG, 9);
        this.picked.material.depthTest = false;
        this.loads = new Arrows(LOAD, 400);
        this.drags = new Arrows(DRAG, 32);
        const ball = new THREE.IcosahedronGeometry(1, 2);
        this.ellipsoids = new THREE.InstancedMesh(ball,
            new THREE.MeshPhongMaterial({ color: 0xffffff }), 400);
        this.ellipsoids.frustumCulled = false;
        this.ellipsoids.count = 0;
        this.volume = new THREE.LineSegments(new THREE.BufferGeometry(),
            new THREE.LineBasicMaterial({ transparent: true, opacity: 0.35 }));
        this.volume.frustumCulled = false;
        // vertices of bodies that have no surface
        this.vertices = pointCloud(0x6b94c0, 6);
        this.group.add(this.vertices, this.fixed, this.picked, this.loads.group, this.drags.group,
            this.ellipsoids, this.volume);
    }

    setScene(json, array) {
        this.vertices.visible = json.surfaces.length === 0;
        this.volume.geometry.dispose();
        this.volume.geometry = new THREE.BufferGeometry();
        this.volume.geometry.setIndex(
            new THREE.BufferAttribute(array(json.volume.edges, Uint32Array), 1));
    }

    setTheme() {
        this.volume.material.color.set(this.stage.lineColor);
    }

    // `stress`: ellipsoids are stresses, not strains
    update(frame, stress) {
        setPoints(this.fixed, frame.fixed);
        this.volume.visible = frame.volume.length > 0;
        if (this.volume.visible) {
            setPoints(this.volume, frame.volume);
        }
        if (this.vertices.visible) {
            setPoints(this.vertices, frame.volume);
        }
        this.updateLoads(frame.loads);
        this.updateDrags(frame.drags);
        this.updateEllipsoids(frame.ellipsoids, stress);
    }

    // the longest a fifth of the body; those that pull begin at its surface, others end there
    updateLoads(loads) {
        const { size } = this.stage;
        let most = 0;
        for (let i = 0; i < loads.length; i += 7) {
            most = Math.max(most, Math.hypot(loads[i + 3], loads[i + 4], loads[i + 5]));
        }
        this.loads.begin();
        for (let i = 0; i < loads.length; i += 7) {
            const place = new THREE.Vector3().fromArray(loads, i);
            const way = new THREE.Vector3().fromArray(loads, i + 3)
                .multiplyScalar(0.2 * size / most);
            const pulls = loads[i + 6] > 0;
            const tail = pulls ? place : place.clone().sub(way);
            const tip = pulls ? place.clone().add(way) : place;
            this.loads.add(tail, tip, 0.004 * size);
        }
        this.loads.end();
    }

    updateDrags(drags) {
        const points = [];
        this.drags.begin();
        for (let i = 0; i < drags.length; i += 9) {
            const point = new THREE.Vector3().fromArray(drags, i);
            const target = new THREE.Vector3().fromArray(drags, i + 3);
            points.push(...point.toArray());
            this.drags.add(point, target, 0.006 * this.stage.size);
        }
        this.drags.end();
        setPoints(this.picked, points);
    }

    updateEllipsoids(values, stress) {
        const count = Math.min(values.length / 12, 400);
        // stresses mostly are much smaller than the largest, strains about as large as a ball
        const radius = (stress ? 0.25 : 0.1) * this.stage.size / Math.cbrt(Math.max(count, 8));
        const color = new THREE.Color();
        const matrix = new THREE.Matrix4();
        const list = [];
        let most = 0;
        for (let i = 0; i < count; ++i) {
            const A = values.subarray(12 * i + 3, 12 * i + 12);
            list.push(stress ? eigen(A) : null);
            most = Math.max(most, ...(stress ? list[i].values.map(Math.abs) : [0]));
        }
        for (let i = 0; i < count; ++i) {
            const [x, y, z] = values.subarray(12 * i, 12 * i + 3);
            let A = values.subarray(12 * i + 3, 12 * i + 12);
            color.set(0xb9c3d0);
            if (stress) {
                const { values: s, vectors: v } = list[i];
                const r = s.map((value) => 0.08 + 0.92 * Math.abs(value) / (most || 1));
                A = [0, 1, 2].flatMap((row) => [0, 1, 2].map((k) => v[3 * row + k] * r[k]));
                const main = s.reduce((a, b) => Math.abs(b) > Math.abs(a) ? b : a);
                color.copy(main < 0 ? PRESSED : PULLED);
            }
            matrix.set(radius * A[0], radius * A[1], radius * A[2], x, radius * A[3],
                radius * A[4], radius * A[5], y, radius * A[6], radius * A[7], radius * A[8], z,
                0, 0, 0, 1);
            this.ellipsoids.setMatrixAt(i, matrix);
            this.ellipsoids.setColorAt(i, color);
        }
        this.ellipsoids.count = count;
        this.ellipsoids.instanceMatrix.needsUpdate = true;
        if (this.ellipsoids.instanceColor) {
            this.ellipsoids.instanceColor.needsUpdate = true;
        }
    }
}
