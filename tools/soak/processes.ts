// SPDX-License-Identifier: MIT

import { setTimeout as pause } from "node:timers/promises";
import { type Answer, ServiceClient } from "@reading-list/testing/client.ts";
import { startPageServer } from "@reading-list/testing/page-server.ts";
import { type Started, start, untilReady } from "@reading-list/testing/started-service.ts";
import { tableOf } from "@reading-list/testing/table-text.ts";
import { startAccountData } from "../../tests/stacks/bundles/account-data.ts";
import { CallLog } from "./call-log.ts";
import { showDuration } from "./duration.ts";
import { startLoadBalancer } from "./load-balancer.ts";
import { guessPasswords, pageAt, SoakUser } from "./soak-user.ts";

const processCount = 2;
const userCount = 12;
/** Maximum pause of a device between two calls in ms. */
const maxIdle = 2000;
/** Seconds between two ends of a process. */
const secondsOfProcess = 8;
const endings = ["SIGKILL", "SIGTERM"] as const;
/** The line of a failed call, unless its deadline was reached, as on a busy machine. */
const failedCall = /^\{.*"level":"ERROR"(?!.*"reason":"(?:AbortError|TimeoutError)").*$/m;

const apiKey = "soak-of-processes";
const readerApiKey = "soak-of-the-reader";
const noLimit = "1000000000";

/** A client that repeats a call whose connection was lost, as a call is harmless if it is repeated. */
class PatientClient extends ServiceClient {
  lost = 0;

  override async fetch(url: string, init?: RequestInit): Promise<Answer> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await super.fetch(url, init);
      } catch (error) {
        if (attempt === 20) throw error;
        this.lost += 1;
        await pause(100);
      }
    }
  }
}

/**
 * For some seconds: the users of the soak on two processes with `STORE=dynamodb` behind a load balancer. One after
 * the other is killed or stopped, and started again. Every answer is checked against a model of the list. Returns the exit
 * code.
 */
export async function soakProcesses(seconds: number): Promise<number> {
  const log = new CallLog();
  const pages = await startPageServer((request, response) => {
    const page = pageAt(request.url ?? "");
    response.writeHead(page ? 200 : 404, { "content-type": "text/html", "cache-control": "max-age=2" }).end(page);
  });
  const data = await startAccountData("soak", new Map([["soak", [{ actions: ["*"], resources: ["*"] }]]]));
  const application = { name: "Soak", status: "enabled", created: 0 } as const;
  await data.operator.createApiKey(apiKey, { ...application, applicationId: "soak" });
  await data.operator.createApiKey(readerApiKey, { ...application, applicationId: "web", isPublic: true });
  const env = {
    ...data.variables,
    AWS_REGION: "local",
    AWS_ACCESS_KEY_ID: "soak",
    AWS_SECRET_ACCESS_KEY: "soak",
    STORE: "dynamodb",
    TABLE_NAME: "soak",
    ARTICLE_BUCKET: "articles",
    TEXT_BUCKET: "texts",
    SEARCH_BUCKET: "indexes",
    PICTURE_BUCKET: "pictures",
    PROOF_SECRET: "a secret that both processes have",
    PUBLIC_API_KEY: readerApiKey,
    TRUST_PROXY: "127.0.0.1",
    USER_LIMIT: noLimit,
    KEY_LIMIT: noLimit,
    PUBLIC_KEY_ADDRESS_LIMIT: noLimit,
    TEXT_ALLOWED_ORIGINS: pages.origin,
  };
  const running = new Map<number, { started: Started; baseUrl: string; textUrl: string }>();
  process.once("exit", () => running.forEach(({ started }) => void started.process.kill("SIGKILL")));
  const startProcess = async (place: number) => {
    const started = start(env);
    running.set(place, { started, ...(await untilReady(started)) });
    started.ended.then((code) => {
      if (running.get(place)?.started === started) log.addFault(`a process ended by itself with ${code}`);
      const complaint = failedCall.exec(started.output());
      if (complaint) log.addFault(`a process reported ${complaint[0]}`);
    });
  };
  const endProcess = async (place: number, signal: (typeof endings)[number]) => {
    const ending = running.get(place);
    running.delete(place);
    ending?.started.process.kill(signal);
    const code = await ending?.started.ended;
    if (signal === "SIGTERM" && code !== 0) log.addFault(`a process was stopped and ended with ${code}`);
  };
  for (let place = 0; place < processCount; place++) await startProcess(place);
  const main = await startLoadBalancer(() => [...running.values()].map(({ baseUrl }) => baseUrl));
  const text = await startLoadBalancer(() => [...running.values()].map(({ textUrl }) => textUrl));
  const service = new PatientClient({ baseUrl: main.url, textUrl: text.url, apiKey });
  const users = Array.from(
    { length: userCount },
    (_, number) => new SoakUser(service, `soak-${number}`, pages.origin, log, { hasApp: number === 0 }),
  );
  for (const user of users) await user.signUp();

  const begin = performance.now();
  const elapsed = () => (performance.now() - begin) / 1000;
  const isOver = () => elapsed() > seconds;
  const idle = () => pause(maxIdle * Math.random());
  const ends = { SIGKILL: 0, SIGTERM: 0 };
  const endProcesses = async () => {
    for (let n = 0; !isOver(); n++) {
      await pause(1000 * Math.min(secondsOfProcess, Math.max(0, seconds - elapsed())));
      const signal = endings[Math.floor(Math.random() * endings.length)] ?? "SIGKILL";
      await endProcess(n % processCount, signal);
      await startProcess(n % processCount);
      ends[signal] += 1;
      const counts = `${log.sent} calls, ${service.lost} lost, ${log.faultCount} faults`;
      console.log(`${showDuration(elapsed())}  ${ends.SIGKILL} killed, ${ends.SIGTERM} stopped  ${counts}`);
    }
  };
  await Promise.all([
    endProcesses(),
    guessPasswords(service, log, idle, isOver),
    ...users.map((user) => user.live(idle, isOver)),
  ]);
  const took = elapsed();
  for (const place of [...running.keys()]) await endProcess(place, "SIGTERM");
  for (const part of [main, text, pages]) part.stop();
  await data.stop();

  console.log(`\n${tableOf(log.table("Calls", took))}`);
  for (const fault of log.faults) console.log(`FAULT: ${fault}`);
  console.log(log.faultCount === 0 ? "No faults." : `${log.faultCount} faults.`);
  return log.faultCount === 0 ? 0 : 1;
}
