/** Shows how far something long has come. */
export type ShowProgress = (done: number, total: number) => void;

const barWidth = 24;
/** Milliseconds between two lines where there is no terminal, to keep logs short. */
const lineEvery = 2000;

/**
 * Progress on standard error: a bar that grows on a terminal, and otherwise a line now and then. `end` clears the bar.
 */
export function createProgress(what: string, stream: NodeJS.WriteStream): { show: ShowProgress; end: () => void } {
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
