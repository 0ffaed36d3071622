// SPDX-License-Identifier: MIT

const intervalMs = 60_000;

/**
 * Does some work now and every minute, never twice at once. Returns the way to stop it, which does not await the work
 * under way. A failure shows in the calls as well; the next round does the rest.
 */
export function repeatEveryMinute(work: () => Promise<void>): () => void {
  let isUnderWay = false;
  const round = async () => {
    if (isUnderWay) return;
    isUnderWay = true;
    await work().catch(() => {});
    isUnderWay = false;
  };
  void round();
  const timer = setInterval(round, intervalMs).unref();
  return () => clearInterval(timer);
}
