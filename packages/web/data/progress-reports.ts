// SPDX-License-Identifier: MIT

import type { Progress } from "@reading-list/client/main.ts";

/** Milliseconds without scrolling until a place is reported, and between two such reports. */
const restMs = 20_000;
const minIntervalMs = 60_000;
/** A smaller difference is not worth a call. */
const minPercent = 2;

/**
 * Decides when the place in an article is reported to the service: when the user leaves it, or stops for 20 s, then at most
 * once a minute, and not for less than 2 %.
 */
export class ProgressReports {
  readonly #report: (progress: Progress, isLeaving: boolean) => void;
  #reported: number;
  #reportedAt = Number.NEGATIVE_INFINITY;
  #current: Progress | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(known: Progress | undefined, report: (progress: Progress, isLeaving: boolean) => void) {
    this.#reported = known?.percent ?? 0;
    this.#report = report;
  }

  /** The user has not moved from the place that was shown first, or that another device has reported. */
  get isUnmoved(): boolean {
    return !this.#isDue();
  }

  /** Another screen shows the same place as another share. */
  shown({ percent }: Progress): void {
    this.#reported = percent;
    this.#current = undefined;
    clearTimeout(this.#timer);
  }

  moved(progress: Progress): void {
    this.#current = progress;
    clearTimeout(this.#timer);
    const wait = Math.max(restMs, this.#reportedAt + minIntervalMs - Date.now());
    this.#timer = setTimeout(() => this.#send(false), wait);
  }

  leave(): void {
    clearTimeout(this.#timer);
    this.#send(true);
  }

  #isDue(): boolean {
    const { percent = this.#reported } = this.#current ?? {};
    const difference = Math.abs(percent - this.#reported);
    return difference >= minPercent || (difference > 0 && percent === 100);
  }

  #send(isLeaving: boolean): void {
    if (!this.#current || !this.#isDue()) return;
    this.#reported = this.#current.percent;
    this.#reportedAt = Date.now();
    this.#report(this.#current, isLeaving);
  }
}
