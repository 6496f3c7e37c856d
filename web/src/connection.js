// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The socket to the server, opened again whenever it breaks.

import { decode } from './protocol.js';

export class Connection {
    // handlers: message(decoded), open(), closed(reason)
    constructor(handlers) {
        this.handlers = handlers;
        this.delay = 250;
        this.open();
    }

    open() {
        const address = new URL('socket', location.href);
        address.protocol = address.protocol.replace('http', 'ws');
        const socket = new WebSocket(address, 'lyra-view');
        socket.binaryType = 'arraybuffer';
        socket.onopen = () => {
            this.delay = 250;
            this.handlers.open();
        };
        socket.onmessage = (event) => this.handlers.message(decode(event.data));
        socket.onclose = (event) => {
            this.handlers.closed(event.reason);
            setTimeout(() => this.open(), this.delay);
            this.delay = Math.min(2 * this.delay, 4000);
        };
        this.socket = socket;
    }

    // what is said while there is no server is lost
    send(message) {
        if (this.socket.readyState === WebSocket.OPEN) {
            this.socket.send(message);
        }
    }
}
