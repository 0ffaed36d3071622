import type { Terminal } from "./terminal.ts";

/** Shows the progress of a long operation. */
export type ShowProgress = (done: number, total: number) => void;

const barWidth = 24;
/** Milliseconds between two lines if there is no terminal, to keep logs short. */
const lineEvery = 2000;

/**
 * Progress on standard error: a bar on a terminal, else a line every 2 seconds. `end` clears the bar.
 */
export function createProgress(what: string, stream: Terminal["stderr"]): { show: ShowProgress; end: () => void } {
  let lastLine = Number.NEGATIVE_INFINITY;
  const show: ShowProgress = (done, total) => {
    const count = `${done.toLocaleString("en")} of ${Math.max(done, total).toLocaleString("en")}`;
    if (stream.isTTY) {
      const filled = total === 0 ? barWidth : Math.round((Math.min(done, total) / total) * barWidth);
      stream.write(`\r${what} [${"#".repeat(filled)}${" ".repeat(barWidth - filled)}] ${count}`);
    } else if (performance.now() - lastLine >= lineEvery) {
      lastLine = performance.now();
      stream.write(`${what}: ${count}\n`);
    }
  };
  return { show, end: () => void (stream.isTTY && stream.write("\r\u001b[K")) };
}
