// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Khronos's validator over glTF files: node validate.cjs MODULE FILE... Errors and warnings fail.

const fs = require("fs");
const path = require("path");
const validator = require(path.resolve(process.argv[2]));

async function check(file) {
    const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)), {
        uri: file,
        maxIssues: 20,
        externalResourceFunction: (uri) =>
            fs.promises
                .readFile(path.join(path.dirname(file), decodeURIComponent(uri)))
                .then((bytes) => new Uint8Array(bytes)),
    });
    const { numErrors, numWarnings, messages } = report.issues;
    for (const message of messages.filter((m) => m.severity < 2)) {
        console.log(`${file}: ${message.code} at ${message.pointer}: ${message.message}`);
    }
    const { animationCount, totalVertexCount, hasMorphTargets } = report.info;
    console.log(
        `${file}: ${totalVertexCount} vertices, ${animationCount} animations, ` +
            `${numErrors} errors, ${numWarnings} warnings`
    );
    return numErrors === 0 && numWarnings === 0 && animationCount === 1 && hasMorphTargets;
}

Promise.all(process.argv.slice(3).map(check)).then(
    (results) => process.exit(results.length > 0 && results.every(Boolean) ? 0 : 1),
    (error) => {
        console.log(String(error));
        process.exit(1);
    }
);
