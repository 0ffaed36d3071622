// SPDX-License-Identifier: MIT

// Plain JavaScript: an older Node cannot load TypeScript, and would end with a stack trace.
const required = 24;

if (Number.parseInt(process.versions.node, 10) < required) {
  console.error(
    `Node ${required} or later is required, this is ${process.version}: run npm ci without --ignore-scripts and --omit=dev, which installs it in node_modules, or put it on the PATH`,
  );
  process.exit(1);
}
