import autocannon from "autocannon";
import { type Rate, rateOf } from "./rate.ts";

/** Calls by POST; each connection makes them sequentially. */
export interface Load {
  url: string;
  connections: number;
  /** The form of the next call that a connection makes. */
  nextForm: (connection: number) => string;
  /** Whether the body of an answer is right. */
  isRight: (body: string) => boolean;
}

/** Extent of a load: a time after an uncounted warm-up, or a number of calls. */
export type LoadExtent = { warmUpSeconds: number; seconds: number } | { calls: number };

/** Applies a load and measures its answers. Throws an error unless each is right and has status 200. */
export async function measureLoad(load: Load, extent: LoadExtent): Promise<Rate> {
  const { url, connections, nextForm, isRight } = load;
  const [warmUpSeconds, bounds] =
    "calls" in extent
      ? [0, { amount: extent.calls }]
      : [extent.warmUpSeconds, { duration: extent.warmUpSeconds + extent.seconds }];
  const latencies: number[] = [];
  const wrongBodies: string[] = [];
  const countedFrom = performance.now() + 1000 * warmUpSeconds;
  let endedAt = countedFrom;
  let connection = 0;
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const options: autocannon.Options = {
      url,
      connections,
      ...bounds,
      // Interval in ms at which the end of the load is checked.
      sampleInt: 20,
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
    };
    const run = autocannon(options, (error, outcome) => (error ? reject(error) : resolve(outcome)));
    run.on("response", (_client, _status, _bytes, latencyMs) => {
      endedAt = performance.now();
      if (endedAt >= countedFrom) latencies.push(latencyMs);
    });
  });
  const statuses = Object.keys(result.statusCodeStats ?? {});
  if (statuses.join() !== "200" || result.errors > 0 || result.mismatches > 0 || latencies.length === 0) {
    const counts = `statuses ${JSON.stringify(result.statusCodeStats)}, ${result.errors} errors`;
    throw new Error(`${url}: ${counts}, ${result.mismatches} wrong bodies, the first being ${wrongBodies[0]}`);
  }
  return rateOf(latencies, endedAt - countedFrom);
}
