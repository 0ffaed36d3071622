// SPDX-License-Identifier: MIT

import autocannon from "autocannon";

/** Calls by POST; each connection makes them one after the other. */
export interface Load {
  url: string;
  connections: number;
  /** The form of the next call that a connection makes. */
  nextForm: (connection: number) => string;
  /** Whether the body of an answer is right. */
  isRight: (body: string) => boolean;
}

/** Applies a load of so many calls. Throws unless each answer is right and has status 200. */
export async function applyLoad({ url, connections, nextForm, isRight }: Load, calls: number): Promise<void> {
  const wrongBodies: string[] = [];
  let connection = 0;
  const result = await autocannon({
    url,
    connections,
    amount: Math.max(calls, connections),
    setupClient: (client) => {
      const own = connection++;
      client.setRequests([
        {
          method: "POST",
          headers: { "content-type": "application/x-www-form-urlencoded" },
          setupRequest: (request) => ({ ...request, body: nextForm(own) }),
        },
      ]);
    },
    verifyBody: (body) => {
      const right = isRight(String(body));
      if (!right) wrongBodies.push(String(body).slice(0, 200));
      return right;
    },
  });
  const statuses = Object.keys(result.statusCodeStats ?? {});
  if (statuses.join() !== "200" || result.errors > 0 || result.mismatches > 0) {
    throw new Error(`${url}: statuses ${statuses}, ${result.errors} errors, wrong: ${wrongBodies[0]}`);
  }
}
