// SPDX-License-Identifier: MIT

/** Failed calls of two versions. The new version gets a share of all calls. */
export interface FailedCalls {
  next: number;
  former: number;
}

/**
 * Probability below which a difference is not a coincidence: two failures of the new version at a tenth of the calls,
 * and none of the previous one, have a chance of 1 in 100.
 */
const significance = 0.02;

/**
 * Whether the new version fails a greater share of its calls than the previous one (one-sided binomial test): each
 * failure is one of the new version with the probability `share` if both are equally good. `chance`: the probability
 * below which a difference counts.
 */
export function isWorse({ next, former }: FailedCalls, share: number, chance = significance): boolean {
  const all = next + former;
  let chanceOfFewer = 0;
  // Logarithms: with thousands of failures the first terms are too small for a number.
  let term = all * Math.log1p(-share);
  for (let failures = 0; failures < next; failures++) {
    chanceOfFewer += Math.exp(term);
    term += Math.log((all - failures) / (failures + 1)) + Math.log(share / (1 - share));
  }
  return 1 - chanceOfFewer < chance;
}

/** Refused calls are many and vary by client, so only a great difference counts. */
const significanceOfRefusals = 0.0001;

/**
 * Whether the new version refuses a greater share of its calls than the previous one: five at least, and twice its share of
 * all refused calls.
 */
export const refusesMore = ({ next, former }: FailedCalls, share: number): boolean =>
  next >= 5 && next > 2 * share * (next + former) && isWorse({ next, former }, share, significanceOfRefusals);
