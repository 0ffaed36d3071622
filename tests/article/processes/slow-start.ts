// SPDX-License-Identifier: MIT

/** A worker that uses 0.7 seconds of processor time before it is ready. */
const start = process.threadCpuUsage().user;
while (process.threadCpuUsage().user - start < 700_000);
const { serveExtractions } = await import("@reading-list/article/processes/serve-extractions.ts");
await serveExtractions();
