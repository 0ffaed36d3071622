import { rateOf } from "../bench/rate.ts";
import { rounded, type Subject } from "../bench/report.ts";
import type { Growth } from "./leaks.ts";
import type { Figures } from "./soaked-service.ts";

/** What is seen of a run while it goes on. */
export interface Moment {
  minutes: number;
  calls: number;
  wrong: number;
  /** Milliseconds of each call since the moment before, and the seconds since then. */
  latencies: readonly number[];
  seconds: number;
  figures: Figures;
}

/** A moment as one line. */
export function lineOf({ minutes, calls, wrong, latencies, seconds, figures }: Moment): string {
  const { callsPerSecond, medianMs, p99Ms } = rateOf(latencies, 1000 * seconds);
  const { heap, serviceMemory, serviceHandles, databaseMemory, databaseHandles } = figures;
  return [
    `${minutes.toFixed(1)} min`,
    `${calls} calls, ${wrong} wrong`,
    `${Math.round(callsPerSecond)}/s, median ${rounded(medianMs)} ms, 99% ${rounded(p99Ms)} ms`,
    `service ${Math.round(serviceMemory)} MB, heap ${heap.toFixed(1)} MB, ${serviceHandles} handles`,
    `database ${Math.round(databaseMemory)} MB, ${databaseHandles} handles`,
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
  const notes = ["The least MB in two quarters of the run; the heap is what lives once its garbage is collected."];
  return { title: "Memory", notes, rows };
}

/** Open handles of both processes before and after the load, when nothing is under way. */
export function handleTable(before: Figures, after: Figures): Subject {
  const rows = [
    { process: "service", before: before.serviceHandles, after: after.serviceHandles },
    { process: "database", before: before.databaseHandles, after: after.databaseHandles },
  ];
  return { title: "Open handles", notes: ["At rest, after the warm-up and after the run."], rows };
}
