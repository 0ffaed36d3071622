import { expect } from "vitest";
import { type Answer, type Parameters, type TestService, TestUser } from "../service.ts";

/** Milliseconds that any call may take, whatever the database does. */
export const longestCall = 15_000;

/** Repetitions after which a call that goes on failing is taken for one that always will. */
const mostRepetitions = 100;

const limitHeaders = ["limit", "remaining", "reset"].flatMap((name) => [`x-limit-user-${name}`, `x-limit-key-${name}`]);

/** What the calls of one storm came to. */
export class CallTally {
  sent = 0;
  acknowledged = 0;
  repeated = 0;
  slowest = 0;
}

/** A user each of whose answers is looked at, as a client that is strict about the contract would. */
export class CheckedUser extends TestUser {
  readonly tally: CallTally;

  constructor(service: TestService, { username, password }: TestUser["credentials"], tally: CallTally) {
    super(service, username, password);
    this.tally = tally;
  }

  override async call(endpoint: string, parameters: Parameters = {}): Promise<Answer> {
    const start = performance.now();
    const answer = await super.call(endpoint, parameters);
    const took = performance.now() - start;
    this.tally.sent += 1;
    if (answer.status === 200) this.tally.acknowledged += 1;
    this.tally.slowest = Math.max(this.tally.slowest, Math.round(took));
    expect(took, `milliseconds of ${endpoint}`).toBeLessThan(longestCall);
    expectWellFormed(endpoint, answer);
    return answer;
  }

  /** Makes the same call again until its outcome is known: whatever has become of the ones before, it is harmless. */
  async insist(endpoint: string, parameters: Parameters = {}): Promise<Answer> {
    for (let repetition = 0; repetition < mostRepetitions; repetition++) {
      const answer = await this.call(endpoint, parameters);
      if (answer.status !== 503) return answer;
      this.tally.repeated += 1;
    }
    throw new Error(`${endpoint} has failed ${mostRepetitions} times`);
  }
}

function expectWellFormed(endpoint: string, { status, headers, body }: Answer): void {
  expect([200, 401, 403, 503], `status of ${endpoint}`).toContain(status);
  expect(headers.get("status")).toMatch(new RegExp(`^${status} \\w`));
  for (const name of limitHeaders) expect(headers.get(name), `${name} of ${endpoint}`).toMatch(/^\d+$/);
  if (status !== 200) expect(headers.get("x-error")).toMatch(/^[\x20-\x7e]+$/);
  if (status === 503 || status === 403) expect(headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
  if (status === 200 && endpoint === "get") {
    expect(JSON.parse(body)).toEqual({
      status: expect.any(String),
      since: expect.any(String),
      list: expect.any(Object),
    });
  } else if (status === 200 && endpoint === "stats") {
    expect(Object.keys(JSON.parse(body))).toEqual(["user_since", "count_list", "count_unread", "count_read"]);
  } else {
    expect(body).toBe(headers.get("status"));
  }
}
