import { expect } from "vitest";
import { type Answer, type Parameters, requireOk, type ServiceClient, TestUser } from "./client.ts";

/** Milliseconds in which API Gateway wants an answer, whatever the database does. */
export const maxCallMs = 30_000;

/** Retries after which a failing call is assumed to fail forever. */
const maxRepetitions = 100;

const limitHeaders = ["limit", "remaining", "reset"].flatMap((name) => [`x-limit-user-${name}`, `x-limit-key-${name}`]);

/** The results of the calls of one run. */
export class CallResults {
  sent = 0;
  acknowledged = 0;
  repeated = 0;
  slowest = 0;
  /** Deadline of any call in milliseconds. */
  readonly maxCallMs: number = maxCallMs;

  /** Counts an answered call. */
  note(_endpoint: string, status: number, milliseconds: number): void {
    this.sent += 1;
    if (status === 200) this.acknowledged += 1;
    this.slowest = Math.max(this.slowest, Math.round(milliseconds));
  }
}

/** A user whose client checks each answer strictly against docs/api.md. */
export class CheckedUser extends TestUser {
  readonly tally: CallResults;

  constructor(service: ServiceClient, { username, password }: TestUser["credentials"], tally: CallResults) {
    super(service, username, password);
    this.tally = tally;
  }

  override async call(endpoint: string, parameters: Parameters = {}): Promise<Answer> {
    const start = performance.now();
    const answer = await super.call(endpoint, parameters);
    const took = performance.now() - start;
    this.tally.note(endpoint, answer.status, took);
    expect(took, `milliseconds of ${endpoint}`).toBeLessThan(this.tally.maxCallMs);
    expectWellFormed(endpoint, answer);
    return answer;
  }

  /** Retries a call until its outcome is known. Calls are idempotent, so earlier attempts may have succeeded. */
  async insist(endpoint: string, parameters: Parameters = {}): Promise<Answer> {
    for (let repetition = 0; repetition < maxRepetitions; repetition++) {
      const answer = await this.call(endpoint, parameters).catch(ifLost);
      if (answer && answer.status !== 503) return answer;
      this.tally.repeated += 1;
    }
    throw new Error(`${endpoint} has failed ${maxRepetitions} times`);
  }

  override async ok(endpoint: string, parameters: Parameters = {}): Promise<Answer> {
    return requireOk(endpoint, await this.insist(endpoint, parameters));
  }
}

/** A lost connection: a gateway that stalls on a busy machine then closes idle connections that a client is about to use. */
function ifLost(error: unknown): undefined {
  if (!(error instanceof TypeError)) throw error;
}

function expectWellFormed(endpoint: string, { status, headers, body }: Answer): void {
  expect([200, 400, 401, 403, 503], `status of ${endpoint}`).toContain(status);
  expect(headers.get("status")).toMatch(new RegExp(`^${status} \\w`));
  for (const name of limitHeaders) expect(headers.get(name), `${name} of ${endpoint}`).toMatch(/^\d+$/);
  if (status !== 200) expect(headers.get("x-error")).toMatch(/^[\x20-\x7e]+$/);
  if (status === 503 || status === 403) expect(headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
  if (status === 200 && endpoint === "get") {
    const { complete = "1", deleted = {}, ...fields } = JSON.parse(body);
    expect([complete, deleted]).toEqual(["1", expect.any(Object)]);
    expect(fields).toEqual({
      status: expect.any(String),
      since: expect.any(String),
      list: expect.any(Object),
    });
  } else if (status === 200 && endpoint === "stats") {
    expect(Object.keys(JSON.parse(body))).toEqual(["user_since", "count_list", "count_unread", "count_read"]);
  } else if (status === 200 && endpoint === "text") {
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
  } else {
    const reason = status === 200 ? "" : `\n${headers.get("x-error")}`;
    expect(body).toBe(`${headers.get("status")}${reason}`);
  }
}
