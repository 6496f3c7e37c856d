// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Buttons, sliders and lists: they say what is wanted to the server, and show what it answers.

import * as protocol from './protocol.js';
import { FIELDS } from './palette.js';
import { Slider } from './slider.js';

const { Extra, Method, Play } = protocol;

const KNOBS = {
    'material.young': "Young's modulus", 'material.poisson': "Poisson's ratio",
    'material.stiffness': 'Spring stiffness', 'springs.structural': 'Spring stiffness',
    'springs.damping': 'Spring damping', 'particles.stiffness': 'Spring stiffness',
    'particles.damping': 'Spring damping', 'material.density': 'Density',
    'stiffness': 'Stiffness of shape',
    'damping.mass': 'Mass damping', 'damping.stiffness': 'Stiff. damping',
    'time.dt': 'Time step', 'gravity': 'Gravity', 'fibre.activation': 'Activation',
};
const UNITS = { 'kg/m^3': 'kg/m³', 'm/s^2': 'm/s²' };

const byId = (id) => document.getElementById(id);

function fillList(list, entries, chosen) {
    list.replaceChildren(...entries.map(([value, label]) => new Option(label, value)));
    list.value = chosen;
}

export class Panel {
    // looks: what the page shows by itself, { wire, fixed, surfaces: [] }; changed() when one did
    constructor(connection, looks, changed) {
        this.connection = connection;
        this.looks = looks;
        this.changed = changed;
        this.state = null;
        this.knobs = new Map();
        byId('play').addEventListener('click', () => this.togglePlay());
        byId('step').addEventListener('click', () => this.play(Play.STEP));
        byId('reset').addEventListener('click', () => this.play(Play.RESET));
        byId('record').addEventListener('click', () => this.toggleRecord());
        byId('speed').addEventListener('change', (event) => {
            this.send(protocol.speed(Number(event.target.value)));
        });
        byId('field').addEventListener('change', (event) => {
            this.show({ field: Number(event.target.value) });
        });
        byId('integrator').addEventListener('change', (event) => {
            this.send(protocol.method(Method.INTEGRATOR, Number(event.target.value)));
        });
        byId('solver').addEventListener('change', (event) => {
            this.send(protocol.method(Method.SOLVER, Number(event.target.value)));
        });
        byId('more').addEventListener('click', () => {
            const open = document.body.classList.toggle('open');
            byId('more').setAttribute('aria-expanded', open);
        });
        this.toggles = {
            wire: this.addToggle('Wireframe', () => this.look('wire')),
            volume: this.addToggle('Volume mesh', () => this.toggleExtra(Extra.VOLUME)),
            fixed: this.addToggle('Fixed vertices', () => this.look('fixed')),
            loads: this.addToggle('Loads', () => this.toggleExtra(Extra.LOADS)),
            stress: this.addToggle('Stress ellipsoids',
                () => this.toggleExtra(Extra.STRESS, Extra.STRAIN)),
            strain: this.addToggle('Strain ellipsoids',
                () => this.toggleExtra(Extra.STRAIN, Extra.STRESS)),
        };
    }

    send(message) {
        this.connection.send(message);
    }

    addToggle(label, act) {
        const button = document.createElement('button');
        button.type = 'button';
        button.textContent = label;
        button.setAttribute('aria-pressed', 'false');
        button.addEventListener('click', act);
        byId('toggles').append(button);
        return button;
    }

    // ---- what keys do too -----------------------------------------------------------------------

    play(word) {
        this.send(protocol.play(word));
    }

    togglePlay() {
        this.play(this.state?.playing ? Play.PAUSE : Play.GO);
    }

    toggleRecord() {
        this.send(protocol.record(!this.state?.recording));
    }

    look(name) {
        this.looks[name] = !this.looks[name];
        this.toggles[name].setAttribute('aria-pressed', this.looks[name]);
        this.changed();
    }

    lookSurface(index, on) {
        this.looks.surfaces[index] = on;
        byId('surfaces').children[index].setAttribute('aria-pressed', on);
        this.changed();
    }

    show(change) {
        const { field, extras } = { ...this.state, ...change };
        this.send(protocol.show(field, extras));
    }

    toggleExtra(bit, other = 0) {
        this.show({ extras: (this.state.extras ^ bit) & ~other });
    }

    nextField() {
        const list = [...byId('field').options].map((option) => Number(option.value));
        const at = list.indexOf(this.state.field);
        this.show({ field: list[(at + 1) % list.length] });
    }

    changeSpeed(by) {
        const list = byId('speed');
        const at = list.selectedIndex + by;
        if (at >= 0 && at < list.options.length) {
            this.send(protocol.speed(Number(list.options[at].value)));
        }
    }

    // ---- what the server says -------------------------------------------------------------------

    setScene(scene) {
        this.scene = scene;
        this.knobs.clear();
        byId('knobs').replaceChildren();
        byId('pull').replaceChildren();
        this.pull = null;
        fillList(byId('field'), FIELDS.map((field, i) => [i, field.label])
            .filter(([i]) => (scene.stress || !FIELDS[i].stress)
                && (!FIELDS[i].memory || scene.memories.includes(FIELDS[i].name))
                && (scene.cloth || !FIELDS[i].cloth)), 0);
        fillList(byId('integrator'), scene.integrators.map((name, i) => [i, name]), '');
        fillList(byId('solver'), scene.solvers.map((name, i) => [i, name]), '');
        this.addSurfaces(scene.surfaces);
        this.toggles.stress.hidden = !scene.stress;
        this.toggles.volume.hidden = this.toggles.strain.hidden = scene.volume.elements === 0;
        for (const name of ['wire', 'fixed']) {
            this.toggles[name].setAttribute('aria-pressed', this.looks[name]);
        }
    }

    // a button for each, where there are several of one body
    addSurfaces(surfaces) {
        const { looks } = this;
        if (looks.surfaces.length !== surfaces.length) {
            looks.surfaces = surfaces.map((surface) => surface.visible);
        }
        const bodies = new Set(surfaces.map((surface) => surface.body)).size;
        byId('surfaces').hidden = surfaces.length === bodies;
        byId('surfaces').replaceChildren(...surfaces.map(({ name, body }, i) => {
            const button = document.createElement('button');
            button.type = 'button';
            button.textContent = bodies > 1 ? `${body}: ${name}` : name;
            button.setAttribute('aria-pressed', looks.surfaces[i]);
            button.addEventListener('click', () => this.lookSurface(i, !looks.surfaces[i]));
            return button;
        }));
    }

    addPull(pull) {
        const change = () => {
            this.send(protocol.pull(this.pull.strength.read(), this.pull.rings.read()));
        };
        this.pull = {
            strength: new Slider(byId('pull'), { name: 'pull', label: 'Stiffness',
                hint: 'The inverse of the compliance', unit: 'N/m', low: pull.start / 1000,
                high: pull.start * 1000, start: pull.start, logarithmic: true }, change),
            rings: new Slider(byId('pull'), { name: 'rings', label: 'Neighbourhood', unit: 'rings',
                low: 0, high: this.scene.rings_max, start: 2, whole: true }, change),
        };
    }

    addKnob(knob, index) {
        const unit = knob.unit ? UNITS[knob.unit] ?? knob.unit : knob.logarithmic ? '×' : '';
        const label = KNOBS[knob.name] ?? knob.name;
        this.knobs.set(knob.path, new Slider(byId('knobs'), { ...knob, unit, name: knob.path,
            label: knob.body ? `${knob.body}: ${label}` : label, hint: knob.path },
            (value) => this.send(protocol.knob(index, value))));
    }

    setState(state) {
        this.state = state;
        const button = byId('play');
        button.classList.toggle('playing', state.playing);
        button.setAttribute('aria-label', state.playing ? 'Pause' : 'Play');
        byId('record').classList.toggle('recording', state.recording);
        byId('record').classList.toggle('unable', !state.can_record);
        byId('speed').value = String(state.speed);
        byId('field').value = state.field;
        byId('integrator').value = this.scene.integrators.indexOf(state.integrator);
        byId('solver').value = this.scene.solvers.indexOf(state.solver);
        for (const [name, bit] of [['volume', Extra.VOLUME], ['loads', Extra.LOADS],
            ['stress', Extra.STRESS], ['strain', Extra.STRAIN]]) {
            this.toggles[name].setAttribute('aria-pressed', (state.extras & bit) !== 0);
        }
        if (!this.pull) {
            this.addPull(state.pull);
        }
        this.pull.strength.update(state.pull.stiffness);
        this.pull.rings.update(state.pull.rings);
        if (this.knobs.size === 0) {
            const numbered = state.knobs.map((knob, index) => ({ knob, index }));
            const ofBodies = ({ knob }) => knob.path.startsWith('bodies');
            // what bodies are made of is turned more often than the rest
            for (const { knob, index } of [...numbered.filter(ofBodies),
                ...numbered.filter((one) => !ofBodies(one))]) {
                this.addKnob(knob, index);
            }
        }
        for (const knob of state.knobs) {
            this.knobs.get(knob.path)?.update(knob.value);
        }
    }
}
