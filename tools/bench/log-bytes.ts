// SPDX-License-Identifier: MIT

import { emptyTally } from "@reading-list/core/call-scope.ts";
import { createCallLog } from "@reading-list/http/watch/call-log.ts";
import { FakeClock } from "@reading-list/testing/fake-clock.ts";
import type { Resource } from "../../tests/stacks/evaluate.ts";

/** Calls a second of a busy function's process, each of which takes it 12 ms: half of what it can do. */
const callsOfSecond = 40;
const callsMeasured = 10_000;
/** Bytes that CloudWatch adds to each line. */
const bytesOfEvent = 26;

/** Values of API Gateway's variables, of usual length. */
const examples: Record<string, string> = {
  "$context.requestId": "JKJaXmPLvHcESHA=",
  "$context.identity.sourceIp": "198.51.100.117",
  "$context.routeKey": "POST /v2/get",
  "$context.status": "200",
  "$context.integrationErrorMessage": "-",
};

/** Kilobytes of logs of a successful call on a busy stage: its line of the access log, and its share of its function's. */
export function logKilobytesOf(resources: readonly Resource[]): { access: number; own: number } {
  const stage = resources.find(({ type }) => type === "aws:apigatewayv2/stage:Stage");
  if (!stage) throw new Error("the stacks have no API");
  const { format } = stage.inputs.accessLogSettings as { format: string };
  const line = format.replaceAll(/\$context[\w.]+/g, (name) => {
    const example = examples[name];
    if (example === undefined) throw new Error(`${name} has no example`);
    return example;
  });
  return { access: (line.length + bytesOfEvent) / 1000, own: ownBytes() / callsMeasured / 1000 };
}

/** Bytes that a function writes for all measured calls. */
function ownBytes(): number {
  const clock = new FakeClock();
  let bytes = 0;
  const output = {
    write: (line: string) => {
      bytes += line.length + bytesOfEvent;
      return true;
    },
  };
  const report = createCallLog({ namespace: "reading-list/production", clock, output });
  for (let call = 0; call < callsMeasured; call++) {
    clock.advance(1 / callsOfSecond);
    report({
      ...{ requestId: examples["$context.requestId"] ?? "", awsRequestId: "", source: "198.51.100.117" },
      ...{ endpoint: "get", route: undefined, applicationId: "reader-for-android", status: 200, milliseconds: 7.4 },
      ...{ tally: { ...emptyTally(), databaseCalls: 1 }, error: undefined },
    });
  }
  return bytes;
}
