// SPDX-License-Identifier: MIT

import type { EndpointContract } from "@reading-list/core/contract/endpoint.ts";
import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { expect } from "vitest";
import { expectContract } from "./answer-contract.ts";
import { type Answer, type Parameters, requireOk, type ServiceClient, TestUser } from "./client.ts";

/** Milliseconds in which API Gateway wants an answer, whatever the database does. */
export const maxCallMs = 30_000;

/** Retries after which a failing call is assumed to fail forever. */
const maxRepetitions = 100;

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
    expectContract(contractOf(endpoint), answer);
    return answer;
  }

  /**
   * Retries a call until its outcome is known, each time after a second of the service's fake clock: a sign-in whose
   * process lost the database holds its place for some seconds, so a clock that stands still would refuse every retry.
   * Calls are idempotent, so earlier attempts may have succeeded.
   */
  async insist(endpoint: string, parameters: Parameters = {}): Promise<Answer> {
    let error: string | null | undefined;
    for (let repetition = 0; repetition < maxRepetitions; repetition++) {
      const answer = await this.call(endpoint, parameters).catch(ifLost);
      if (answer && answer.status !== 503) return answer;
      error = answer?.headers.get("x-error");
      this.tally.repeated += 1;
      this.service.clock?.advance(1);
    }
    throw new Error(`${endpoint} has failed ${maxRepetitions} times: ${error ?? "no answer"}`);
  }

  override async ok(endpoint: string, parameters: Parameters = {}): Promise<Answer> {
    return requireOk(endpoint, await this.insist(endpoint, parameters));
  }
}

function contractOf(endpoint: string): EndpointContract {
  const contract = endpoints.find(({ name }) => name === endpoint);
  if (!contract) throw new Error(`there is no endpoint ${endpoint}`);
  return contract;
}

/** A lost connection: a gateway that stalls on a busy machine then closes idle connections that a client is about to use. */
function ifLost(error: unknown): undefined {
  const isOfFetch = error instanceof TypeError && ["fetch failed", "terminated"].includes(error.message);
  if (!isOfFetch) throw error;
}
