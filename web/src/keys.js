// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Keys, and the list of them on the help card.

import { Extra, Play } from './protocol.js';

const KEYS = [
    [' ', 'Space', 'play or pause', (viewer) => viewer.panel.togglePlay()],
    ['s', 'S', 'one step', (viewer) => viewer.panel.play(Play.STEP)],
    ['r', 'R', 'back to the start', (viewer) => viewer.panel.play(Play.RESET)],
    ['0', '0', 'look at all of it', (viewer) => viewer.fit()],
    ['-', '−', 'slower', (viewer) => viewer.panel.changeSpeed(-1)],
    ['+', '+', 'faster', (viewer) => viewer.panel.changeSpeed(1)],
    ['c', 'C', 'next colour', (viewer) => viewer.panel.nextField()],
    ['w', 'W', 'wireframe', (viewer) => viewer.panel.look('wire')],
    ['v', 'V', 'volume mesh', (viewer) => viewer.panel.toggleExtra(Extra.VOLUME)],
    ['f', 'F', 'fixed vertices', (viewer) => viewer.panel.look('fixed')],
    ['l', 'L', 'loads', (viewer) => viewer.panel.toggleExtra(Extra.LOADS)],
    ['e', 'E', 'strain ellipsoids',
        (viewer) => viewer.panel.toggleExtra(Extra.STRAIN, Extra.STRESS)],
    ['p', 'P', 'save a picture', (viewer) => viewer.savePicture()],
    ['k', 'K', 'record on the server', (viewer) => viewer.panel.toggleRecord()],
    ['t', 'T', 'dark or light', (viewer) => viewer.toggleTheme()],
    ['h', 'H', 'this card', () => document.getElementById('card').showModal()],
];

export function bindKeys(viewer) {
    const list = document.getElementById('keys');
    for (const [, label, meaning] of KEYS) {
        const key = document.createElement('dt');
        const text = document.createElement('dd');
        const cap = document.createElement('kbd');
        cap.textContent = label;
        key.append(cap);
        text.textContent = meaning;
        list.append(key, text);
    }
    document.addEventListener('keydown', (event) => {
        const typed = event.target instanceof HTMLSelectElement;
        if (event.ctrlKey || event.metaKey || event.altKey || typed ||
            document.getElementById('card').open || !viewer.state) {
            return;
        }
        const found = KEYS.find(([key]) => key === event.key.toLowerCase() ||
            (key === '+' && event.key === '='));
        // a button that has the focus takes the space bar itself
        if (found && !(event.key === ' ' && event.target instanceof HTMLButtonElement)) {
            event.preventDefault();
            found[3](viewer);
        }
    });
}
