// SPDX-License-Identifier: MIT

import { once } from "node:events";
import { readdirSync } from "node:fs";
import { Agent, request as httpRequest } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { form } from "@reading-list/testing/client.ts";
import { type Started, start, untilReady } from "@reading-list/testing/started-service.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { describe, expect, onTestFinished, test } from "vitest";

/** The service cuts off calls 3 s after the first signal, which pass on a busy machine before a test has done its steps. */
const onBusyMachines = { retry: 3 };

/** A service with a call under way whose body is sent when `finish` is called: its answer takes little processor time. */
async function startBusy(command?: string[]) {
  const started = start({ DATA_DIR: ":memory:" }, command);
  onTestFinished(() => killGroup(started, "SIGKILL"));
  const urls = await untilReady(started);
  const body = String(form({ apikey: "local-dev-key" }));
  const headers = { "content-type": "application/x-www-form-urlencoded", "content-length": body.length };
  const request = httpRequest(`${urls.baseUrl}/v2/api`, {
    method: "POST",
    headers: { ...headers, expect: "100-continue" },
  });
  const answer = once(request, "response").then(([response]) => text(response));
  answer.catch(() => {});
  request.flushHeaders();
  await once(request, "continue");
  const finish = () => request.end(body);
  return { started, ...urls, answer, finish };
}

/** As a terminal does on Ctrl-C. */
function killGroup({ process: { pid = 0 } }: Started, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // The group has ended.
  }
}

type Busy = Awaited<ReturnType<typeof startBusy>>;

/** Sends a signal repeatedly while the service stops, and then lets the call under way finish. */
async function stopRepeatedly({ started, baseUrl, finish }: Busy, send: () => void): Promise<void> {
  send();
  while (await isListening(baseUrl)) await pause(10);
  for (let i = 0; i < 3; i++) {
    send();
    // The system merges pending signals of one kind.
    await pause(50);
  }
  finish();
  await started.ended;
}

const isListening = (url: string) =>
  fetch(url).then(
    () => true,
    () => false,
  );

describe.each(["SIGINT", "SIGTERM"] as const)("%s", onBusyMachines, (signal) => {
  test("lets the calls under way finish, however often it is sent to the process", async () => {
    const busy = await startBusy();
    await stopRepeatedly(busy, () => busy.started.process.kill(signal));
    expect(await busy.answer).toBe("200 OK");
    expect(await busy.started.ended).toBe(0);
  });

  test.each([
    ["the process group of npm start", (started: Started) => killGroup(started, signal)],
    ["npm", (started: Started) => started.process.kill(signal)],
  ])("lets the calls under way finish, however often it is sent to %s", async (_, send) => {
    const busy = await startBusy(["npm", "start", "--silent"]);
    await stopRepeatedly(busy, () => send(busy.started));
    expect(await busy.answer).toBe("200 OK");
  });

  test("stops a service that is still starting its database", async () => {
    const folder = temporaryFolder();
    const started = start({ DATA_DIR: folder });
    onTestFinished(() => killGroup(started, "SIGKILL"));
    while (readdirSync(folder).length === 0) await pause(1);
    started.process.kill(signal);
    expect(await started.ended).toBe(0);
  });
});

test("idle connections do not delay the shutdown", onBusyMachines, async () => {
  const { started, baseUrl, answer, finish } = await startBusy();
  const { port, hostname } = new URL(baseUrl);
  const silent = connect(Number(port), hostname);
  await once(silent, "connect");
  const agent = new Agent({ keepAlive: true });
  const [response] = await once(httpRequest(`${baseUrl}/v2/api`, { agent }).end(), "response");
  await text(response);
  const idle = Object.values(agent.freeSockets).flat()[0];
  if (!idle) throw new Error("the connection was not kept alive");
  const closed = Promise.all([once(silent, "close"), once(idle, "close")]);
  started.process.kill("SIGTERM");
  await closed;
  finish();
  expect(await answer).toBe("200 OK");
  expect(await started.ended).toBe(0);
});
