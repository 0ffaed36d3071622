import { AsyncLocalStorage } from "node:async_hooks";

/** What is counted while a call is carried out, to tell afterwards what it took. */
export interface Tally {
  databaseCalls: number;
  /** Writes that met another one and were tried again. */
  conflictsRetried: number;
  /** Passwords verified with argon2id, the dearest thing a call can do. */
  passwordsVerified: number;
  textHits: number;
  textMisses: number;
  /** Pages that were read but hold no article. */
  textsEmpty: number;
  textsFailed: number;
}

/** Bound to what runs for one call, as a process of `npm start` carries out many at once. */
const current = new AsyncLocalStorage<Tally>();

/** Carries out a call; what it counts on its way goes into `tally`. */
export const tallyCall = <T>(tally: Tally, call: () => T): T => current.run(tally, call);

/** Counts one more of something for the call that is being carried out; outside of any it counts for none. */
export function count(what: keyof Tally): void {
  const tally = current.getStore();
  if (tally) tally[what] += 1;
}

/** A tally on which nothing is counted yet. */
export const emptyTally = (): Tally => ({
  databaseCalls: 0,
  conflictsRetried: 0,
  passwordsVerified: 0,
  textHits: 0,
  textMisses: 0,
  textsEmpty: 0,
  textsFailed: 0,
});
