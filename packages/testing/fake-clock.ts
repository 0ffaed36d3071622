// SPDX-License-Identifier: MIT

/**
 * A clock that only `advance` moves. It starts a minute into a window of limits, at most an hour before the present:
 * commands that follow the clock of the machine are never behind it.
 */
export class FakeClock {
  #milliseconds: number;
  constructor(startSeconds = Math.floor((Date.now() - 60_000) / 3_600_000) * 3600 + 60) {
    this.#milliseconds = startSeconds * 1000;
  }
  now = () => this.#milliseconds;
  seconds = () => this.#milliseconds / 1000;
  advance(seconds: number): void {
    this.#milliseconds += seconds * 1000;
  }
}
