// SPDX-License-Identifier: MIT

/**
 * The faults of a call on its way to the service:
 * - `lostRequest`, `lostAnswer`: the connection ends before, or after the call was carried out
 * - `unavailable`: answered 503 without being carried out
 * - `limited`: answered 403 with `Retry-After: 1`
 * - `portal`: answered 200 by something that is not the service
 */
export type CallFault = "lostRequest" | "lostAnswer" | "unavailable" | "limited" | "portal";

export type CallFaultShares = Partial<Record<CallFault, number>>;

/** A `fetch` whose calls meet faults, each with its share, until it is healed. */
export class UnreliableFetch {
  /** Faults that happened. */
  readonly met: Partial<Record<CallFault, number>> = {};
  calls = 0;
  #shares: CallFaultShares;
  readonly #random: () => number;

  constructor(shares: CallFaultShares, random: () => number) {
    this.#shares = shares;
    this.#random = random;
  }

  heal(): void {
    this.#shares = {};
  }

  readonly fetch: typeof fetch = async (...request) => {
    this.calls++;
    switch (this.#draw()) {
      case "lostRequest":
        throw new TypeError("fetch failed");
      case "lostAnswer":
        await (await fetch(...request)).text();
        throw new TypeError("fetch failed");
      case "unavailable":
        return new Response("", { status: 503, headers: { status: "503 Service Unavailable" } });
      case "limited":
        return new Response("", { status: 403, headers: { status: "403 Forbidden", "retry-after": "1" } });
      case "portal":
        return new Response("<h1>Welcome to our network</h1>");
      case undefined:
        return fetch(...request);
    }
  };

  #draw(): CallFault | undefined {
    let drawn = this.#random();
    for (const [fault, share] of Object.entries(this.#shares) as [CallFault, number][]) {
      drawn -= share;
      if (drawn >= 0) continue;
      this.met[fault] = (this.met[fault] ?? 0) + 1;
      return fault;
    }
    return undefined;
  }
}
