// SPDX-License-Identifier: MIT

import { rounded, type Subject } from "@reading-list/testing/table-text.ts";
import { latencyOf } from "./latency.ts";
import type { Growth } from "./leaks.ts";
import type { Figures } from "./soaked-service.ts";

/** Progress of a run. */
export interface Moment {
  /** Time since the start, and time left. */
  progress: string;
  calls: number;
  wrong: number;
  /** Milliseconds of each call since the previous sample, and the seconds since then. */
  latencies: readonly number[];
  seconds: number;
  figures: Figures;
}

/** A sample as one line. */
export function lineOf({ progress, calls, wrong, latencies, seconds, figures }: Moment): string {
  const { medianMs, p99Ms } = latencyOf(latencies);
  const { heap, serviceMemory, serviceHandles } = figures;
  return [
    progress,
    `${calls} calls, ${wrong} faults`,
    `${Math.round(latencies.length / seconds)}/s, median ${rounded(medianMs)} ms, 99% ${rounded(p99Ms)} ms`,
    `service ${Math.round(serviceMemory)} MB, heap ${heap.toFixed(1)} MB, ${serviceHandles} handles`,
  ].join("  ");
}

/** A row for each kind of memory, by name. */
export function memoryTable(growths: Record<string, Growth>): Subject {
  const rows = Object.entries(growths).map(([memory, { early, late, allowed, verdict }]) => ({
    memory,
    "2nd quarter": early?.toFixed(1) ?? "-",
    "last quarter": late?.toFixed(1) ?? "-",
    allowed: `+${allowed}`,
    verdict,
  }));
  const notes = ["Minimum MB in two quarters of the run; heap: live objects after garbage collection."];
  return { title: "Memory", notes, rows };
}

/** Open handles of the idle service before and after the load. */
export function handleTable(before: Figures, after: Figures): Subject {
  const rows = [{ process: "service", before: before.serviceHandles, after: after.serviceHandles }];
  return { title: "Open handles", notes: ["While idle, after the warm-up and after the run."], rows };
}
