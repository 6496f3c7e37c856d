// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause
//
// build.mjs PACKAGES OUT: bundles the page with the packages in PACKAGES/node_modules, packs its
// files, and writes them as arrays to the C source OUT.

import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const [packages, out] = process.argv.slice(2).map((path) => resolve(path));
const source = join(dirname(fileURLToPath(import.meta.url)), 'src');
const esbuild = createRequire(join(packages, 'package.json'))('esbuild');

function bundle(entry) {
    const result = esbuild.buildSync({
        entryPoints: [join(source, entry)],
        bundle: true,
        minify: true,
        write: false,
        format: 'esm',
        target: 'es2020',
        legalComments: 'eof',
        nodePaths: [join(packages, 'node_modules')],
        logLevel: 'warning',
    });
    return Buffer.from(result.outputFiles[0].contents);
}

const files = [
    { path: '', type: 'text/html; charset=utf-8', bytes: readFileSync(join(source, 'index.html')) },
    { path: 'viewer.js', type: 'text/javascript; charset=utf-8', bytes: bundle('main.js') },
    { path: 'viewer.css', type: 'text/css; charset=utf-8', bytes: bundle('style.css') },
    { path: 'icon.svg', type: 'image/svg+xml', bytes: readFileSync(join(source, 'icon.svg')) },
];

// rows of at most 100 characters, as string constants compile faster than lists of numbers
function rows(bytes) {
    const lines = [];
    for (let at = 0; at < bytes.length; at += 24) {
        let line = '';
        for (const byte of bytes.subarray(at, at + 24)) {
            line += '\\' + byte.toString(8).padStart(3, '0');
        }
        lines.push(`    "${line}"`);
    }
    return lines.join('\n');
}

let text = '// Made by web/build.mjs from the files in web/src.\n\n#include "view_page.h"\n';
files.forEach((file, i) => {
    file.packed = gzipSync(file.bytes, { level: 9 });
    text += `\nstatic const char file_${i}[] =\n${rows(file.packed)};\n`;
});
text += '\nconst ViewPage view_pages[] = {\n';
files.forEach((file, i) => {
    text += `    {"${file.path}", "${file.type}", (const unsigned char *)file_${i}, ` +
        `${file.packed.length}},\n`;
});
text += '    {0},\n};\n';
writeFileSync(out, text);
