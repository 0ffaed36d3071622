// SPDX-License-Identifier: MIT

/** Milliseconds between two looks. */
export const lookMs = 10_000;
/** Quiet looks in a row after which garbage is collected. The second time gives the memory back that the first one emptied. */
const collectAfter = [6, 7];
/** The share of a processor that a quiet service uses at most. */
const quietShare = 0.01;

const measureMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/**
 * Collects garbage when the service has been idle for a minute. V8 may not do so while nobody calls: after an import, 40 MB
 * and the buffers that garbage holds stayed. It takes the event loop 50 to 150 ms, when few callers wait. `collect`: of
 * `node --expose-gc`; `usedMs`: the processor time of the process in milliseconds.
 */
export function collectWhenIdle(collect: (() => unknown) | undefined = globalThis.gc, usedMs = measureMs): void {
  let before = usedMs();
  let quiet = 0;
  const look = () => {
    quiet = usedMs() - before < quietShare * lookMs ? quiet + 1 : 0;
    if (collectAfter.includes(quiet)) collect?.();
    before = usedMs();
  };
  setInterval(look, lookMs).unref();
}
