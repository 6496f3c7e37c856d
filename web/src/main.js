// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The page of `lyra view`: what comes from the server goes to stage, panel and charts.

import { Chart } from './chart.js';
import { Connection } from './connection.js';
import { Drags } from './drag.js';
import { bindKeys } from './keys.js';
import { Legend } from './legend.js';
import { Overlays } from './overlays.js';
import { formatNumber, Palette } from './palette.js';
import { Panel } from './panel.js';
import { Extra, Kind, seen } from './protocol.js';
import { Stage } from './stage.js';
import { Surface } from './surface.js';

const byId = (id) => document.getElementById(id);

class Viewer {
    constructor() {
        this.stage = new Stage(byId('canvas'));
        this.overlays = new Overlays(this.stage);
        this.legend = new Legend();
        this.surfaces = [];
        this.looks = { wire: false, fixed: true, surfaces: [] };
        this.frames = 0;
        this.frameSeconds = 0;
        this.placed = false;
        this.unseen = 0;
        this.owed = 0;
        this.packed = false; // the surfaces are not yet where this.frame has them
        this.stage.beforeDraw = (quick) => {
            this.unpack();
            // the first frame places the camera, with its lamps
            const { light } = this.stage;
            light.update();
            for (const surface of this.surfaces.filter((one) => one.mesh.visible)) {
                surface.prepare(quick, light);
            }
        };
        this.stage.afterCall = () => this.tellSeen();
        this.connection = new Connection({
            message: (message) => this.receive(message),
            open: () => {
                this.unseen = this.owed = 0;
                document.body.classList.remove('lost');
            },
            closed: (reason) => this.lost(reason),
        });
        this.panel = new Panel(this.connection, this.looks, () => this.relook());
        this.drags = new Drags(this.stage, this.connection, () => this.surfaces);
        const charts = byId('charts');
        this.charts = [
            new Chart(charts, 'Energy', 'J', [
                { label: 'kinetic', color: '--kinetic', of: (frame) => frame.kinetic },
                { label: 'elastic', color: '--elastic', of: (frame) => frame.elastic },
            ]),
            new Chart(charts, 'Newton', '', [
                { label: 'iterations', color: '--newton', of: (frame) => frame.newton },
            ]),
            new Chart(charts, 'Step', 's', [
                { label: 'all', color: '--step', of: (frame) => frame.stepSeconds },
                { label: 'solve', color: '--solve', of: (frame) => frame.solveSeconds },
            ]),
        ];
        byId('picture').addEventListener('click', () => this.savePicture());
        byId('fit').addEventListener('click', () => this.fit());
        byId('theme').addEventListener('click', () => this.toggleTheme());
        byId('help').addEventListener('click', () => byId('card').showModal());
        bindKeys(this);
        const dark = matchMedia('(prefers-color-scheme: dark)').matches;
        this.setTheme(localStorage.getItem('lyra-theme') ?? (dark ? 'dark' : 'light'));
    }

    // ---- messages -------------------------------------------------------------------------------

    receive(message) {
        switch (message.kind) {
        case Kind.SCENE:
            this.setScene(message.json, message.array);
            break;
        case Kind.STATE:
            this.setState(message.json);
            break;
        case Kind.NOTICE:
            this.notice(message.text);
            break;
        default:
            this.setFrame(message.frame);
        }
    }

    setScene(scene, array) {
        this.scene = scene;
        for (const surface of this.surfaces) {
            this.stage.scene.remove(surface.mesh);
            surface.dispose();
        }
        let first = 0;
        this.surfaces = scene.surfaces.map((data) => {
            const surface = new Surface(data, array, first);
            first += data.vertices;
            this.stage.scene.add(surface.mesh);
            return surface;
        });
        this.overlays.setScene(scene, array);
        this.palette = new Palette(array(scene.colors.sequential, Uint8Array),
            array(scene.colors.diverging, Uint8Array));
        this.looks.wire ||= scene.settings.renderWireframe === '1';
        this.panel.setScene(scene);
        const triangles = this.surfaces.reduce((sum, one, i) =>
            sum + (this.looks.surfaces[i] ? one.triangles.length / 3 : 0), 0);
        document.title = `${scene.name} – Lyra`;
        byId('name').textContent = scene.name;
        byId('facts').textContent = `${scene.volume.vertices.toLocaleString('en')} vertices, ` +
            `${scene.volume.elements.toLocaleString('en')} elements, ` +
            `${triangles.toLocaleString('en')} triangles`;
        this.addProbes(scene.probes);
        // what was known of the last frame belongs to another run
        this.frame = null;
        this.packed = false;
        this.charts.forEach((chart) => chart.clear());
        this.relook();
    }

    // a chart for each probe, behind the others
    addProbes(probes) {
        const colors = ['--kinetic', '--elastic', '--solve'];
        this.charts.filter((chart) => chart.ofProbe).forEach((chart) => chart.remove());
        this.charts = this.charts.filter((chart) => !chart.ofProbe);
        let first = 0;
        for (const { name, unit, components } of probes) {
            const begin = first;
            const series = Array.from({ length: components }, (_, i) => ({
                label: components > 1 ? 'xyz'[i] : '', color: colors[i],
                of: (frame) => frame.probes[begin + i],
            }));
            const chart = new Chart(byId('charts'), name, unit, series);
            chart.ofProbe = true;
            this.charts.push(chart);
            first += components;
        }
    }

    setState(state) {
        const field = this.state?.field ?? 0;
        this.state = state;
        this.panel.setState(state);
        if (state.field !== field || this.palette.field === undefined) {
            this.palette.choose(state.field);
        }
        this.legend.setPalette(state.field > 0 ? this.palette : null);
        this.relook();
    }

    // a frame comes; of those between two pictures the last one is unpacked
    setFrame(frame) {
        if (this.frame && frame.steps < this.frame.steps) {
            this.charts.forEach((chart) => chart.clear());
        }
        if (frame.steps > 0 && frame.steps !== this.frame?.steps) {
            this.charts.forEach((chart) => chart.add(frame));
        }
        this.frame = frame;
        this.packed = true;
        ++this.frames;
        ++this.unseen;
        this.stage.drawEarly();
        // nobody reads numbers that change sixty times a second, and drawing them costs time
        this.slow ??= setTimeout(() => {
            this.slow = undefined;
            this.writeNumbers();
        }, 200);
    }

    // The server sends on when it hears of frames that were seen, with two on their way. Where two
    // came for one picture one was in vain: then one on its way is enough, until it comes too late.
    tellSeen() {
        const late = this.unseen === 0 && this.frame?.playing;
        const told = late ? this.owed : Math.min(this.unseen, 1);
        this.owed += this.unseen - told;
        this.unseen = 0;
        if (told > 0) {
            this.connection.send(seen(told));
        }
    }

    unpack() {
        const { frame } = this;
        if (!this.packed) {
            return;
        }
        this.packed = false;
        const begin = performance.now();
        const colored = this.state?.field > 0 && frame.field.length > 0;
        if (colored) {
            this.palette.follow(frame.low, frame.high);
        }
        for (const surface of this.surfaces.filter((one) => one.mesh.visible)) {
            surface.update(frame, colored ? this.palette : null);
        }
        this.overlays.update(frame, (this.state?.extras & Extra.STRESS) !== 0);
        if (!this.placed) {
            this.stage.place(this.scene.camera, this.points());
            this.placed = true;
        }
        this.writeForce(frame);
        this.frameSeconds = (performance.now() - begin) / 1000;
    }

    writeNumbers() {
        const { frame } = this;
        this.charts.forEach((chart) => chart.draw());
        this.legend.update();
        if (!frame || document.body.classList.contains('lost')) {
            return;
        }
        const rate = frame.playing ? `, ${formatNumber(frame.rate)}× real time` : '';
        byId('clock').textContent = `t = ${frame.time.toFixed(3)} s, step ${frame.steps}${rate}`;
    }

    writeForce(frame) {
        const force = byId('force');
        force.hidden = frame.drags.length === 0;
        if (!force.hidden) {
            const size = Math.hypot(...frame.drags.subarray(6, 9));
            const tip = this.stage.project(frame.drags.subarray(3, 6));
            force.textContent = formatNumber(size, 'N');
            // right of the tip, or above it where there is no room
            const edge = this.stage.canvas.clientWidth - force.offsetWidth - 20;
            force.style.left = `${Math.min(tip.x, edge)}px`;
            force.style.top = `${tip.x > edge ? tip.y - 24 : tip.y}px`;
            byId('hint').hidden = true;
        }
    }

    lost(reason) {
        document.body.classList.add('lost');
        byId('clock').textContent = reason ? `the server closed the connection: ${reason}`
            : 'no connection to lyra view; trying again';
    }

    notice(text) {
        const line = document.createElement('p');
        line.textContent = text;
        byId('notices').append(line);
        setTimeout(() => line.remove(), 8000);
    }

    // ---- looks ----------------------------------------------------------------------------------

    relook() {
        const inside = this.state?.extras &
            (Extra.VOLUME | Extra.STRESS | Extra.STRAIN);
        this.surfaces.forEach((surface, i) => {
            // one that was hidden is not yet where the last frame has it
            const visible = this.looks.surfaces[i];
            this.packed ||= visible && !surface.mesh.visible && Boolean(this.frame);
            surface.mesh.visible = visible;
            surface.showWire(this.looks.wire, this.stage.lineColor);
            surface.setGhost(inside !== 0 && inside !== undefined);
        });
        this.overlays.fixed.visible = this.looks.fixed;
        this.stage.invalidate();
    }

    setTheme(name) {
        document.documentElement.dataset.theme = name;
        this.stage.setTheme(name);
        this.overlays.setTheme();
        this.relook();
        this.charts.forEach((chart) => chart.draw());
    }

    toggleTheme() {
        const name = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
        localStorage.setItem('lyra-theme', name);
        this.setTheme(name);
    }

    // all that there is to see
    points() {
        const { surface, volume } = this.frame;
        return surface.length > 0 ? surface : volume;
    }

    fit() {
        if (this.frame) {
            this.stage.goHome(this.points());
        }
    }

    async savePicture() {
        const blob = await this.stage.picture();
        const link = document.createElement('a');
        link.href = URL.createObjectURL(blob);
        link.download = `lyra-${String(this.frame?.steps ?? 0).padStart(6, '0')}.png`;
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    }
}

// for the console, and for tests
window.lyra = new Viewer();
