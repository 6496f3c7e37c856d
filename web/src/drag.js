// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Pulling: a pointer that goes down on a body pulls it, in the plane through the point that faces
// the camera; anywhere else it turns the camera.

import * as THREE from 'three';
import * as protocol from './protocol.js';

export class Drags {
    constructor(stage, connection, surfaces) {
        this.stage = stage;
        this.connection = connection;
        this.surfaces = surfaces; // a function: they change with the scene
        this.active = new Map(); // by pointer
        this.pending = new Map();
        this.next = 1;
        const { canvas } = stage;
        // before the camera's own listeners, which must not see a pointer that pulls
        const options = { capture: true };
        canvas.addEventListener('pointerdown', (event) => this.down(event), options);
        canvas.addEventListener('pointermove', (event) => this.move(event), options);
        for (const name of ['pointerup', 'pointercancel', 'lostpointercapture']) {
            canvas.addEventListener(name, (event) => this.up(event), options);
        }
    }

    pick(x, y) {
        const ray = this.stage.rayAt(x, y);
        let best = null;
        this.surfaces().forEach((surface, index) => {
            const hit = surface.mesh.visible ? surface.pick(ray) : null;
            if (hit && (!best || hit.distance < best.distance)) {
                best = { ...hit, surface: index };
            }
        });
        return best;
    }

    down(event) {
        const mouse = event.pointerType === 'mouse';
        if ((mouse && event.button !== 0) || event.shiftKey || event.ctrlKey || event.metaKey) {
            return;
        }
        // a second finger beside one that turns the camera zooms
        if (!mouse && !event.isPrimary && this.active.size === 0) {
            return;
        }
        const hit = this.pick(event.clientX, event.clientY);
        if (!hit) {
            return;
        }
        event.stopImmediatePropagation();
        this.stage.canvas.setPointerCapture(event.pointerId);
        const facing = this.stage.camera.getWorldDirection(new THREE.Vector3());
        const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(facing, hit.point);
        const id = this.next++;
        this.active.set(event.pointerId, { id, plane });
        this.connection.send(protocol.dragStart(id, hit.surface, hit.triangle, hit.weights,
            hit.point.toArray()));
        this.stage.canvas.classList.add('pulling');
    }

    move(event) {
        const drag = this.active.get(event.pointerId);
        if (!drag) {
            this.hover(event);
            return;
        }
        event.stopImmediatePropagation();
        const ray = this.stage.rayAt(event.clientX, event.clientY);
        const target = ray.intersectPlane(drag.plane, new THREE.Vector3());
        if (!target) {
            return;
        }
        // one message per picture is enough
        if (this.pending.size === 0) {
            requestAnimationFrame(() => {
                this.pending.forEach((point, id) => {
                    this.connection.send(protocol.dragMove(id, point));
                });
                this.pending.clear();
            });
        }
        this.pending.set(drag.id, target.toArray());
    }

    // the cursor says what a press would do
    hover(event) {
        if (event.pointerType !== 'mouse' || event.buttons !== 0 || this.hovering) {
            return;
        }
        this.hovering = true;
        requestAnimationFrame(() => {
            this.hovering = false;
            const hit = this.pick(event.clientX, event.clientY);
            this.stage.canvas.classList.toggle('over', hit !== null);
        });
    }

    up(event) {
        const drag = this.active.get(event.pointerId);
        if (!drag) {
            return;
        }
        event.stopImmediatePropagation();
        this.active.delete(event.pointerId);
        this.pending.delete(drag.id);
        this.connection.send(protocol.dragEnd(drag.id));
        if (this.active.size === 0) {
            this.stage.canvas.classList.remove('pulling');
        }
    }
}
