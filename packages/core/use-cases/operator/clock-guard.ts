// SPDX-License-Identifier: MIT

import { type ClockRecord, type ClockVerdict, type ErasePermit, judgeClock } from "../../domain/clock-check.ts";
import { type Clock, type ClockStore, unixTime } from "../../ports/clock.ts";

/** Judges the clock for all that a service erases by age. */
export class ClockGuard {
  readonly #store: ClockStore;
  readonly #clock: Clock;
  readonly #findBackup: () => number | undefined;
  #last: ClockVerdict | undefined;

  /** `findBackup`: unix seconds of the newest backup. */
  constructor(store: ClockStore, clock: Clock, findBackup: () => number | undefined = () => undefined) {
    this.#store = store;
    this.#clock = clock;
    this.#findBackup = findBackup;
  }

  /** The verdict of now, which is not remembered. */
  judge = async (): Promise<ClockVerdict> => this.#judge(await this.#store.find());

  async #judge(record: ClockRecord): Promise<ClockVerdict> {
    const now = unixTime(this.#clock);
    const verdict = judgeClock(record, now);
    if (record.doubt || (record.plausibleRuns && verdict.permit)) return verdict;
    const known = [await this.#store.newestChange(now), this.#findBackup()];
    return judgeClock(
      record,
      now,
      known.filter((time) => time !== undefined),
    );
  }

  /** The permit to erase by age; undefined under an implausible clock. Remembers the run: if that fails, nothing is erased. */
  async permit(): Promise<ErasePermit | undefined> {
    const before = await this.#store.find();
    const verdict = await this.#judge(before);
    this.#last = verdict;
    if (verdict.record !== before) await this.#store.save(verdict.record);
    return verdict.permit;
  }

  /** The last permit, unless the clock has leapt since. */
  get lastPermit(): ErasePermit | undefined {
    const { permit } = this.#last ?? {};
    return permit && judgeClock({ plausibleRuns: [permit.now] }, unixTime(this.#clock)).permit;
  }

  /** Why nothing was erased when `permit` was last asked for. */
  get doubt(): ClockRecord["doubt"] {
    return this.#last?.record.doubt;
  }

  /** The present time is right: an operator says so. */
  async confirm(): Promise<void> {
    await this.#store.save({ plausibleRuns: [unixTime(this.#clock)] });
  }
}
