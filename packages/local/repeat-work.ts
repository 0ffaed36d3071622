// SPDX-License-Identifier: MIT

/**
 * Does some work now and again after an interval, a minute by default, never twice at once. Returns the way to stop it,
 * which does not await the work under way. A failure shows in the calls as well; the next round does the rest.
 */
export function repeatWork(work: () => Promise<void>, intervalMs = 60_000): () => void {
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
