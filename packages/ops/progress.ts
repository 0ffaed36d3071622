// SPDX-License-Identifier: MIT

import type { Terminal } from "./terminal.ts";

/** Shows the progress of a long operation. */
export type ShowProgress = (done: number, total: number) => void;

/** Milliseconds between two lines: on a terminal, which shows the last one, and in a log. */
const onTerminal = 100;
const inLog = 2000;

/**
 * Progress on standard error, with the rate and the time left: on a terminal one line that changes, else a line every 2
 * seconds. `end` clears the line of a terminal.
 */
export function createProgress(what: string, stream: Terminal["stderr"]): { show: ShowProgress; end: () => void } {
  const start = performance.now();
  let shownAt = Number.NEGATIVE_INFINITY;
  const show: ShowProgress = (done, total) => {
    const now = performance.now();
    if (now - shownAt < (stream.isTTY ? onTerminal : inLog)) return;
    shownAt = now;
    const perSecond = (1000 * done) / (now - start);
    const left = done < total && done > 0 ? `, ${showDuration((total - done) / perSecond)} left` : "";
    const rate = `${Math.round(perSecond).toLocaleString("en")}/s${left}`;
    const count = `${done.toLocaleString("en")} of ${Math.max(done, total).toLocaleString("en")}, ${rate}`;
    if (!stream.isTTY) {
      stream.write(`${what}: ${count}\n`);
      return;
    }
    // A longer line would be wrapped, and "\r" returns only to the beginning of its last row.
    const width = (stream.columns ?? 80) - 1;
    const line = `${what.slice(0, Math.max(0, width - count.length - 2))}: ${count}`;
    stream.write(`\r${line.slice(0, width)}\u001b[K`);
  };
  return { show, end: () => void (stream.isTTY && stream.write("\r\u001b[K")) };
}

function showDuration(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  return minutes < 1 ? `${Math.ceil(seconds)} s` : `${minutes.toLocaleString("en")} min`;
}
