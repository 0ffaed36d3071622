// SPDX-License-Identifier: MIT

const secondsOf: Record<string, number> = { s: 1, m: 60, h: 3600 };

/** Seconds of a duration such as `60s`, `10m` or `2h`. Throws an error for anything else. */
export function parseDuration(text: string): number {
  const [, amount, unit = ""] = /^(\d+(?:\.\d+)?)([smh])$/.exec(text) ?? [];
  const seconds = Number(amount) * (secondsOf[unit] ?? Number.NaN);
  if (!(seconds > 0)) throw new Error("the duration needs a unit and must be above 0, such as 60s, 10m or 2h");
  return seconds;
}

/** Seconds as a duration, such as `45 s` or `9.5 min`. */
export const showDuration = (seconds: number): string =>
  seconds < 100 ? `${Math.round(seconds)} s` : `${(seconds / 60).toFixed(1)} min`;
