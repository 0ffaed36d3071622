// SPDX-License-Identifier: MIT

import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, renameSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { createDocumentClient } from "@reading-list/store-dynamodb/client.ts";
import { ensureTable } from "@reading-list/store-dynamodb/create-table.ts";
import { form } from "@reading-list/testing/client.ts";
import { runCommand, runProcess } from "@reading-list/testing/command-line.ts";
import { startDynamodb } from "@reading-list/testing/dynamodb.ts";
import { type Started, start, untilReady } from "@reading-list/testing/started-service.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { startInProcess } from "@reading-list/testing/test-service.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, onTestFinished, test, vi } from "vitest";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

const dataDir = () => path.join(folder, "data");

const startService = () => startInProcess({ DATA_DIR: dataDir() });

function startServiceProcess(): Started {
  const started = start({ DATA_DIR: dataDir() });
  onTestFinished(() => void started.process.kill("SIGKILL"));
  return started;
}

const command = (...args: string[]) => runCommand(args, { DATA_DIR: dataDir() });

async function statusOf(baseUrl: string, apikey: string): Promise<number> {
  return (await fetch(`${baseUrl}/v2/api`, { method: "POST", body: form({ apikey }) })).status;
}

describe("on the database of npm start", () => {
  test("works while the service runs, and takes effect in the service", async () => {
    const { baseUrl } = await untilReady(startServiceProcess());
    const { code, json } = await runProcess(["keys", "create", "Reader", "--json"], { DATA_DIR: dataDir() });
    expect(code).toBe(0);
    expect(await statusOf(baseUrl, String(json().apiKey))).toBe(200);
    expect((await command("keys", "list")).out).toContain("Local development");
  });

  test("works while no service runs, and takes effect in the next one", async () => {
    await (await startService()).stop();
    const { code, json } = await command("keys", "create", "Reader", "--json");
    expect(code).toBe(0);
    const next = await startService();
    expect(await statusOf(next.baseUrl, String(json().apiKey))).toBe(200);
  });

  test("works after the service was killed", async () => {
    const service = startServiceProcess();
    await untilReady(service);
    service.process.kill("SIGKILL");
    await service.ended;
    expect((await command("keys", "list")).out).toContain("Local development");
  });

  test("waits for other commands that run at the same time", async () => {
    await (await startService()).stop();
    const outcomes = await Promise.all(
      ["one", "two", "three", "four"].map((name) => runProcess(["keys", "create", name], { DATA_DIR: dataDir() })),
    );
    expect(outcomes.map(({ code, err }) => [code, err])).toEqual(Array(4).fill([0, ""]));
    const { out } = await command("keys", "list", "--json");
    const names = (JSON.parse(out) as { name: string }[]).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["one", "two", "three", "four"]));
  });

  test("works on a copy of the folder of a running service without changing that service", async () => {
    await startService();
    const copy = path.join(folder, "copy");
    cpSync(dataDir(), copy, { recursive: true });
    const inCopy = (...args: string[]) => runCommand(args, { DATA_DIR: copy });
    expect((await inCopy("keys", "create", "Only in the copy")).code).toBe(0);
    expect((await command("keys", "list")).out).not.toContain("Only in the copy");
    expect((await inCopy("keys", "list")).out).toContain("Only in the copy");
  });

  test("works on a folder that was renamed while its service runs", async () => {
    const service = await startService();
    const renamed = path.join(folder, "renamed");
    renameSync(dataDir(), renamed);
    const { code, json } = await runCommand(["keys", "create", "Reader", "--json"], { DATA_DIR: renamed });
    expect(code).toBe(0);
    expect(await statusOf(service.baseUrl, String(json().apiKey))).toBe(200);
  });

  test("prints one line that says what to do if there is no database or no table", async () => {
    const missing = await command("keys", "list");
    expect(missing.code).toBe(1);
    expect(missing.err).toMatch(/^readinglist: no local database was found in .*; run npm start once, .*\n$/);
    expect(existsSync(dataDir())).toBe(false);
    mkdirSync(dataDir());
    const empty = await command("keys", "list");
    expect(empty.code).toBe(1);
    expect(empty.err).toMatch(/^readinglist: no local database was found in .*; run npm start once, .*\n$/);
    const nothing = await runCommand(["keys", "list"], { DATA_DIR: ":memory:" });
    expect([nothing.code, nothing.err]).toEqual([1, expect.stringMatching(/set it to a folder\n$/)]);
  });

  test("prints one line if DYNAMODB_ENDPOINT does not answer or is not DynamoDB", async () => {
    const silent = await runCommand(["keys", "list"], { DYNAMODB_ENDPOINT: "http://127.0.0.1:9" });
    expect([silent.code, silent.err]).toEqual([
      1,
      expect.stringMatching(/^readinglist: the database does not answer .*\n$/),
    ]);
    const faulty = await runCommand(["keys", "list"], { DYNAMODB_ENDPOINT: "nowhere" });
    expect([faulty.code, faulty.err]).toEqual([1, expect.stringMatching(/^readinglist: DYNAMODB_ENDPOINT.*\n$/)]);
  });
});

describe.skipIf(!inject("dynamodbEndpoint"))("on a deployed stage", () => {
  const tableName = "reading-list-live-ReadingListTable-abcdefgh";
  let stop: () => Promise<void>;
  let env: Record<string, string>;

  beforeAll(async () => {
    const database = await startDynamodb();
    stop = database.stop;
    const client = createDocumentClient(database.endpoint);
    await ensureTable({ client, tableName });
    for (const name of ["one", "two"]) {
      await ensureTable({ client, tableName: `reading-list-double-ReadingListTable-${name}` });
    }
    client.destroy();
    const account = { AWS_REGION: "eu-central-1", AWS_ACCESS_KEY_ID: "local", AWS_SECRET_ACCESS_KEY: "local" };
    env = { AWS_ENDPOINT_URL_DYNAMODB: database.endpoint, AWS_EC2_METADATA_DISABLED: "true", ...account };
  });
  afterAll(() => stop());
  afterEach(() => void vi.unstubAllEnvs());

  /** Runs a command with variables that the AWS SDK reads from the environment of its process. */
  function onStage(args: readonly string[], changed: Record<string, string> = {}) {
    for (const [name, value] of Object.entries({ HOME: "/nowhere", ...env, ...changed })) vi.stubEnv(name, value);
    return runCommand(args, { ...env, ...changed });
  }

  test("finds the table by the stage's name", async () => {
    expect((await onStage(["keys", "create", "Reader", "--stage", "live"])).code).toBe(0);
    expect((await onStage(["keys", "list", "--stage", "live"])).out).toContain("Reader");
  });

  test("uses the table given by --table", async () => {
    const { code, out } = await onStage(["doctor", "--stage", "dev-ann", "--table", tableName]);
    expect([code, out]).toEqual([0, expect.stringContaining(`table ${tableName} of stage dev-ann`)]);
  });

  test("ignores DYNAMODB_ENDPOINT", async () => {
    const elsewhere = { DYNAMODB_ENDPOINT: "http://127.0.0.1:9" };
    expect((await onStage(["maintenance", "status", "--stage", "live"], elsewhere)).code).toBe(0);
  });

  test.each([
    ["an unknown stage", ["--stage", "lvie"], {}, "no table of stage lvie was found; check --stage"],
    ["a stage with several tables", ["--stage", "double"], {}, "give one with --table"],
    ["a missing table", ["--stage", "live", "--table", "gone"], {}, "table gone of stage live does not exist; check"],
    [
      "missing credentials",
      ["--stage", "live"],
      { AWS_ACCESS_KEY_ID: "" },
      "no AWS credentials were found; set AWS_PROFILE",
    ],
    ["a missing region", ["--stage", "live"], { AWS_REGION: "" }, "no AWS region is set; set AWS_REGION"],
  ])("says in one line what to do about %s", async (_, options, changed, line) => {
    const { code, out, err } = await onStage(["keys", "list", ...options], changed);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toMatch(/^readinglist: .*\n$/);
    expect(err).toContain(line);
  });

  test.each([
    ["UnrecognizedClientException", "AWS does not accept these credentials; set AWS_PROFILE"],
    ["ExpiredTokenException", "the AWS credentials have expired; renew them"],
    ["AccessDeniedException", `do not allow this on the table ${tableName} of stage live: no`],
  ])("says in one line what to do about %s", async (type, line) => {
    const body = JSON.stringify({ __type: `com.amazon.coral.service#${type}`, message: "no" });
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () =>
        socket.end(
          `HTTP/1.1 400 Bad Request\r\ncontent-type: application/x-amz-json-1.0\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
        ),
      );
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const refusing = { AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${port}` };
    const { code, err } = await onStage(["keys", "list", "--stage", "live", "--table", tableName], refusing);
    expect([code, err]).toEqual([1, expect.stringContaining(line)]);
    expect(err).toMatch(/^readinglist: .*\n$/);
  });
});
