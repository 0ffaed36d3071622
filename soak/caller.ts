import type { Agent } from "node:http";
import { type Answer, type Form, post } from "./call.ts";
import type { CallLog } from "./call-log.ts";
import type { SoakedService } from "./soaked-service.ts";

/** Where calls go, from which addresses, and where they are noted. */
export interface Surroundings {
  service: Pick<SoakedService, "baseUrl" | "textUrl" | "apiKey">;
  pageOrigin: string;
  /** Each from an address of its own: the first devices, the second ones, and who guesses passwords. */
  agents: { devices: readonly Agent[]; guesser: Agent };
  log: CallLog;
}

/** A call, and how it must be answered; `kind` is its row in the log. */
export interface Call {
  kind: string;
  endpoint: string;
  form?: Form;
  contentType?: string;
  statuses?: readonly number[];
}

/** Calls endpoints for a user from one address. */
export class Caller {
  readonly #around: Surroundings;
  readonly #agent: Agent;
  readonly #credentials: Form;

  constructor(around: Surroundings, agent: Agent, credentials: Form) {
    this.#around = around;
    this.#agent = agent;
    this.#credentials = credentials;
  }

  /** Throws an error unless the answer has one of the statuses, which are 200 alone unless named. */
  async call({ kind, endpoint, form, contentType, statuses = [200] }: Call): Promise<Answer> {
    const { service, log } = this.#around;
    const url = `${endpoint === "text" ? service.textUrl : service.baseUrl}/v2/${endpoint}`;
    const begin = performance.now();
    const answer = await post(this.#agent, url, { apikey: service.apiKey, ...this.#credentials, ...form }, contentType);
    log.note(kind, performance.now() - begin);
    if (!statuses.includes(answer.status)) throw new Error(`${kind}: ${answer.status} ${answer.headers["x-error"]}`);
    return answer;
  }
}
