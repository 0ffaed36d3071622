// SPDX-License-Identifier: MIT

import { createServer, type Server } from "node:http";
import type { QueueLoad } from "@reading-list/core/fair-queue.ts";
import type { Storage } from "@reading-list/core/ports/operator.ts";
import type { ClockGuard } from "@reading-list/core/use-cases/operator/clock-guard.ts";
import type { Report } from "@reading-list/http/watch/watch-calls.ts";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** The parts of a service that are asked at each scrape. */
export interface MeasuredParts {
  queues: Readonly<Record<string, { load(): QueueLoad }>>;
  /** Undefined if the database is not on this machine. */
  storage: (() => Storage) | undefined;
  /** Unix seconds; undefined if no backup was written yet. */
  lastBackup: () => number | undefined;
  /** Undefined on a stage. */
  clockGuard: Pick<ClockGuard, "doubt"> | undefined;
}

/** Seconds. A call of the database takes less than a millisecond, a page up to 10 s. */
const buckets = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30];

const prefix = "readinglist_";

/** Metrics of the process in Prometheus' form (docs/self-hosting.md, "Watch"). No label holds anything that a caller sent. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #calls: Counter<"endpoint" | "status">;
  readonly #seconds: Histogram<"endpoint">;
  readonly #errors: Counter<"kind">;
  readonly #work: Counter<"kind">;

  constructor() {
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry });
    this.#calls = new Counter({
      name: `${prefix}calls_total`,
      help: "Calls answered",
      labelNames: ["endpoint", "status"],
      registers,
    });
    this.#seconds = new Histogram({
      name: `${prefix}call_duration_seconds`,
      help: "Time a call took in the service",
      labelNames: ["endpoint"],
      buckets,
      registers,
    });
    this.#errors = new Counter({
      name: `${prefix}errors_total`,
      help: "Calls that failed, by kind of error",
      labelNames: ["kind"],
      registers,
    });
    this.#work = new Counter({
      name: `${prefix}work_total`,
      help: "Steps of work for calls, by kind",
      labelNames: ["kind"],
      registers,
    });
  }

  /** Counts a call, then passes it on. */
  watch =
    (next: Report): Report =>
    (call) => {
      const { endpoint, status, milliseconds, error, tally } = call;
      this.#calls.inc({ endpoint, status });
      this.#seconds.observe({ endpoint }, milliseconds / 1000);
      if (error) this.#errors.inc({ kind: error.kind });
      for (const [kind, times] of Object.entries(tally)) if (times > 0) this.#work.inc({ kind }, times);
      next(call);
    };

  /** Adds gauges of a service's parts. */
  observe({ queues, storage, lastBackup, clockGuard }: MeasuredParts): void {
    const loads = Object.entries(queues);
    this.#gauge("queue_running", "Tasks of a queue in progress", "queue", () =>
      loads.map(([queue, { load }]) => [queue, load().running]),
    );
    this.#gauge("queue_waiting", "Tasks waiting in a queue", "queue", () =>
      loads.map(([queue, { load }]) => [queue, load().waiting]),
    );
    this.#gauge("last_backup_timestamp_seconds", "Unix time of the last backup", undefined, () => [["", lastBackup()]]);
    if (clockGuard) {
      this.#gauge("clock_implausible", "1 if the clock may be wrong and nothing is erased by age", undefined, () => [
        ["", clockGuard.doubt ? 1 : 0],
      ]);
    }
    if (!storage) return;
    this.#gauge("stored", "Users, items and saved copies", "kind", () => {
      const { users, items, articles } = storage();
      return [
        ["users", users],
        ["items", items],
        ["articles", articles],
      ];
    });
    this.#gauge("disk_free_bytes", "Free bytes on the disk of the database", undefined, () => [
      ["", storage().diskFreeBytes],
    ]);
    this.#gauge("disk_full", "1 if free space is below the reserve and nothing can be added", undefined, () => [
      ["", storage().isDiskFull ? 1 : 0],
    ]);
    this.#gauge("stored_bytes", "Bytes of the database, its log, and the saved copies in it", "kind", () => {
      const { databaseBytes, logBytes, articleBytes } = storage();
      return [
        ["database", databaseBytes],
        ["log", logBytes],
        ["articles", articleBytes],
      ];
    });
  }

  #gauge(name: string, help: string, label: string | undefined, read: () => [string, number | undefined][]): void {
    const gauge = new Gauge({
      name: prefix + name,
      help,
      labelNames: label === undefined ? [] : [label],
      registers: [this.#registry],
      collect: () => {
        for (const [value, number] of read()) {
          if (number !== undefined) gauge.set(label === undefined ? {} : { [label]: value }, number);
        }
      },
    });
    // Without a label a gauge is 0 from the start.
    if (label === undefined) gauge.remove();
  }

  /** A server that serves only `/metrics`. */
  createServer = (): Server =>
    createServer(async ({ url, method }, response) => {
      if (url !== "/metrics" || (method !== "GET" && method !== "HEAD")) {
        response.writeHead(404, { "content-type": "text/plain" }).end("metrics are at GET /metrics\n");
        return;
      }
      response.setHeader("content-type", this.#registry.contentType);
      response.end(await this.#registry.metrics());
    });
}
