// SPDX-License-Identifier: MIT

/** A clock that only `advance` moves. It starts at the present time, at a whole second. */
export class FakeClock {
  #milliseconds: number;
  constructor(startSeconds = Math.floor(Date.now() / 3_600_000) * 3600 + 60) {
    this.#milliseconds = startSeconds * 1000;
  }
  now = () => this.#milliseconds;
  seconds = () => this.#milliseconds / 1000;
  advance(seconds: number): void {
    this.#milliseconds += seconds * 1000;
  }
}
