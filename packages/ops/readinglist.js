#!/usr/bin/env node
// SPDX-License-Identifier: MIT

import "@reading-list/local/require-node.js";

const { runCommandLine } = await import("./cli.ts");
await runCommandLine(process.argv.slice(2), process);
