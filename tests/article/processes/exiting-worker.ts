// SPDX-License-Identifier: MIT

/** A worker that exits with each job, as one does whose code throws. */
process.on("message", () => process.exit(1));
process.send?.("ready");
