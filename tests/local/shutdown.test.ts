import { once } from "node:events";
import { readdirSync } from "node:fs";
import { Agent, request as httpRequest, type ServerResponse } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { form } from "@reading-list/testing/client.ts";
import { servePages } from "@reading-list/testing/page-server.ts";
import { type Started, start, untilReady } from "@reading-list/testing/started-service.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { describe, expect, onTestFinished, test } from "vitest";

/** A service with a call of `text` under way until `finish` is called. */
async function startBusy(command?: string[]) {
  const held = Promise.withResolvers<ServerResponse>();
  const origin = await servePages((_request, response) => held.resolve(response));
  const started = start({ DATA_DIR: ":memory:", TEXT_ALLOWED_ORIGINS: origin }, command);
  onTestFinished(() => killGroup(started, "SIGKILL"));
  const urls = await untilReady(started);
  const body = form({ apikey: "local-dev-key", url: `${origin}/` });
  const answer = fetch(`${urls.textUrl}/v2/text`, { method: "POST", body });
  answer.catch(() => {});
  const page = await held.promise;
  const finish = () => page.writeHead(200, { "content-type": "text/plain" }).end("text of the page");
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

describe.each(["SIGINT", "SIGTERM"] as const)("%s", (signal) => {
  test("lets the calls under way finish, however often it is sent to the process", async () => {
    const busy = await startBusy();
    await stopRepeatedly(busy, () => busy.started.process.kill(signal));
    expect(await (await busy.answer).text()).toContain("text of the page");
    expect(await busy.started.ended).toBe(0);
  });

  test.each([
    ["the process group of npm start", (started: Started) => killGroup(started, signal)],
    ["npm", (started: Started) => started.process.kill(signal)],
  ])("lets the calls under way finish, however often it is sent to %s", async (_, send) => {
    const busy = await startBusy(["npm", "start", "--silent"]);
    await stopRepeatedly(busy, () => send(busy.started));
    expect(await (await busy.answer).text()).toContain("text of the page");
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

test("idle connections do not delay the shutdown", async () => {
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
  expect(await (await answer).text()).toContain("text of the page");
  expect(await started.ended).toBe(0);
});
