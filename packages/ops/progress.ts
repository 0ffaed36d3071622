import type { Terminal } from "./terminal.ts";

/** Shows the progress of a long operation. */
export type ShowProgress = (done: number, total: number) => void;

const barWidth = 24;
/** Milliseconds between two lines if there is no terminal, to keep logs short, and between two bars. */
const lineEvery = 2000;
const barEvery = 100;

/**
 * Progress on standard error, with the rate and the time left: a bar on a terminal, else a line every 2 seconds. `end`
 * clears the bar.
 */
export function createProgress(what: string, stream: Terminal["stderr"]): { show: ShowProgress; end: () => void } {
  const start = performance.now();
  let shownAt = Number.NEGATIVE_INFINITY;
  const show: ShowProgress = (done, total) => {
    const now = performance.now();
    if (now - shownAt < (stream.isTTY ? barEvery : lineEvery)) return;
    shownAt = now;
    const perSecond = (1000 * done) / (now - start);
    const left = done < total && done > 0 ? `, ${showDuration((total - done) / perSecond)} left` : "";
    const rate = `${Math.round(perSecond).toLocaleString("en")}/s${left}`;
    const count = `${done.toLocaleString("en")} of ${Math.max(done, total).toLocaleString("en")}, ${rate}`;
    if (stream.isTTY) {
      const filled = total === 0 ? barWidth : Math.round((Math.min(done, total) / total) * barWidth);
      const bar = `${what} [${"#".repeat(filled)}${" ".repeat(barWidth - filled)}] ${count}`;
      // A longer line would be wrapped, and "\r" returns only to the beginning of its last row.
      const width = (stream.columns ?? 80) - 1;
      const line = bar.length > width ? `${what.slice(0, Math.max(0, width - count.length - 1))} ${count}` : bar;
      stream.write(`\r${line.slice(0, width)}\u001b[K`);
    } else {
      stream.write(`${what}: ${count}\n`);
    }
  };
  return { show, end: () => void (stream.isTTY && stream.write("\r\u001b[K")) };
}

function showDuration(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  return minutes < 1 ? `${Math.ceil(seconds)} s` : `${minutes.toLocaleString("en")} min`;
}
