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
    const left = Math.max(0, total - done) / perSecond;
    const rate = `${Math.round(perSecond).toLocaleString("en")}/s, ${showDuration(left)} left`;
    const count = `${done.toLocaleString("en")} of ${Math.max(done, total).toLocaleString("en")}, ${rate}`;
    if (stream.isTTY) {
      const filled = total === 0 ? barWidth : Math.round((Math.min(done, total) / total) * barWidth);
      stream.write(`\r${what} [${"#".repeat(filled)}${" ".repeat(barWidth - filled)}] ${count}\u001b[K`);
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
