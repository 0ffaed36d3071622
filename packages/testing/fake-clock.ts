/** A clock and stopwatch that only `advance` moves. The clock starts at the present time, at a whole second. */
export class FakeClock {
  #milliseconds: number;
  #age = 1;
  constructor(startSeconds = Math.floor(Date.now() / 3_600_000) * 3600 + 60) {
    this.#milliseconds = startSeconds * 1000;
  }
  now = () => this.#milliseconds;
  seconds = () => this.#milliseconds / 1000;
  elapsed = () => this.#age;
  advance(seconds: number): void {
    this.#milliseconds += seconds * 1000;
    this.#age += seconds * 1000;
  }
  /** Sets the clock forward or back. The stopwatch counts the step as time, as in core/system-clock.ts. */
  set(seconds: number): void {
    this.#milliseconds += seconds * 1000;
    this.#age += Math.abs(seconds) * 1000;
  }
}
