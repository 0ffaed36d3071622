// SPDX-License-Identifier: MIT

import module from "node:module";
import { fileURLToPath } from "node:url";

// Plain JavaScript: an older Node cannot load TypeScript, and would end with a stack trace.
const required = 24;

if (Number.parseInt(process.versions.node, 10) < required) {
  console.error(
    `Node ${required} or later is required, this is ${process.version}: run npm ci --omit=dev, which installs it in node_modules unless npm runs no scripts, or put it on the PATH`,
  );
  process.exit(1);
}

// Types are stripped and code is compiled once for each version of a file. Without the right to write there, nothing is kept.
module.enableCompileCache?.(fileURLToPath(new URL("../../node_modules/.cache/compiled", import.meta.url)));
