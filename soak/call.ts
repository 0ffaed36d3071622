import { once } from "node:events";
import { type Agent, type IncomingHttpHeaders, type IncomingMessage, request, STATUS_CODES } from "node:http";
import { text } from "node:stream/consumers";
import { limitHeaders } from "@reading-list/core/contract/headers.ts";

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

export type Form = Record<string, string>;

const urlencoded = "application/x-www-form-urlencoded";

/** Posts a form. Throws an error where no answer comes, or one that lacks what the contract gives every answer. */
export async function post(agent: Agent, url: string, form: Form, contentType = urlencoded): Promise<Answer> {
  const sent = request(url, { agent, method: "POST", headers: { "content-type": contentType } });
  sent.end(new URLSearchParams(form).toString());
  const [received] = (await once(sent, "response")) as [IncomingMessage];
  const answer = { status: received.statusCode ?? 0, headers: received.headers, body: await text(received) };
  const fault = faultOf(answer);
  if (fault) throw new Error(`${answer.status}: ${fault}`);
  return answer;
}

const limitNames = [limitHeaders.user, limitHeaders.key].flatMap((names) => Object.values(names));

function faultOf({ status, headers }: Answer): string | undefined {
  if (headers.status !== `${status} ${STATUS_CODES[status]}`) return `Status is ${headers.status}`;
  if ((status === 200) === (headers["x-error"] !== undefined)) return `X-Error is ${headers["x-error"]}`;
  const missing = limitNames.find((name) => !/^\d+$/.test(String(headers[name.toLowerCase()])));
  return missing && `${missing} is ${headers[missing.toLowerCase()]}`;
}
