// SPDX-License-Identifier: MIT

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { form } from "@reading-list/testing/client.ts";
import { runCommand } from "@reading-list/testing/command-line.ts";
import { findFreePort } from "@reading-list/testing/free-port.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { startInProcess } from "@reading-list/testing/test-service.ts";
import { expect, onTestFinished, test } from "vitest";

const isInstalled = spawnSync("prometheus", ["--version"]).error === undefined;
if (!isInstalled) {
  console.warn("SKIPPED: metrics in Prometheus, as it is not installed; sh .ci/install-prometheus installs it");
}

const rules = "deploy/self-hosting/prometheus-alerts.yml";
const dashboard = "deploy/self-hosting/grafana-dashboard.json";

/** A service with metrics that has counted a call and a failed call. */
async function startMeasured(DATA_DIR = temporaryFolder()) {
  const service = await startInProcess({ DATA_DIR, METRICS_PORT: "0" });
  const call = (endpoint: string, parameters: object = {}) => {
    const ann = { apikey: "local-dev-key", username: "ann", password: "secret-word" };
    return fetch(`${service.baseUrl}/v2/${endpoint}`, { method: "POST", body: form({ ...ann, ...parameters }) });
  };
  await call("signup");
  await call("add", { url: "https://example.com/secret-page" });
  await call("auth", { password: "wrong-word" });
  const read = async () => (await fetch(service.metricsUrl)).text();
  return { service, read, DATA_DIR };
}

const findSample = (text: string, sample: string) =>
  text
    .split("\n")
    .find((line) => line.startsWith(`${sample} `))
    ?.slice(sample.length + 1);

test("METRICS_PORT serves calls, errors, queues and stored data, and nothing that a caller sent", async () => {
  const { read } = await startMeasured();
  const text = await read();
  const expected = {
    'readinglist_calls_total{endpoint="add",status="200"}': "1",
    'readinglist_calls_total{endpoint="auth",status="401"}': "1",
    'readinglist_call_duration_seconds_count{endpoint="add"}': "1",
    'readinglist_errors_total{kind="unauthorized"}': "1",
    'readinglist_work_total{kind="passwordsWrong"}': "1",
    'readinglist_queue_running{queue="passwords"}': "0",
    'readinglist_queue_waiting{queue="pages"}': "0",
    'readinglist_stored{kind="users"}': "1",
    'readinglist_stored{kind="items"}': "1",
  };
  expect(Object.fromEntries(Object.keys(expected).map((sample) => [sample, findSample(text, sample)]))).toEqual(
    expected,
  );
  expect(Number(findSample(text, 'readinglist_stored_bytes{kind="log"}'))).toBeGreaterThan(0);
  expect(text).not.toMatch(/ann|secret|wrong-word|local-dev-key|example\.com/);
});

test("METRICS_PORT serves the time of the last backup that readinglist backup wrote", async () => {
  const { read, DATA_DIR } = await startMeasured();
  const sample = "readinglist_last_backup_timestamp_seconds";
  expect(findSample(await read(), sample)).toBeUndefined();
  const before = Date.now() / 1000;
  const { code } = await runCommand(["backup", path.join(DATA_DIR, "copy.db")], { DATA_DIR });
  expect(code).toBe(0);
  // Linux's clock of files is a tick behind.
  expect(Number(findSample(await read(), sample))).toBeGreaterThan(before - 1);
});

test("metrics are served on a loopback address, only at /metrics, and only if METRICS_PORT is set", async () => {
  const { service } = await startMeasured();
  expect(new URL(service.metricsUrl).hostname).toBe("127.0.0.1");
  expect((await fetch(new URL("/", service.metricsUrl))).status).toBe(404);
  expect((await fetch(`${service.baseUrl}/metrics`)).status).toBe(404);
  expect((await startInProcess({ DATA_DIR: ":memory:" })).metricsUrl).toBe("");
});

test("the example alerts and the dashboard name metrics that the service has", async () => {
  const { read, DATA_DIR } = await startMeasured();
  await runCommand(["backup", path.join(DATA_DIR, "copy.db")], { DATA_DIR });
  const text = await read();
  for (const file of [rules, dashboard]) {
    const names = [...readFileSync(file, "utf8").matchAll(/\b(?:readinglist|process|nodejs)_[a-z_\d]+/g)].map(String);
    expect(names.length).toBeGreaterThan(5);
    for (const name of new Set(names)) expect(text, name).toMatch(new RegExp(`^${name}[ {]`, "m"));
  }
});

test.skipIf(!isInstalled)("Prometheus accepts the example alerts and scrapes the service", async () => {
  const { service } = await startMeasured();
  const folder = temporaryFolder();
  const config = path.join(folder, "prometheus.yml");
  const port = await findFreePort();
  writeFileSync(
    config,
    JSON.stringify({
      global: { scrape_interval: "1s", evaluation_interval: "1s" },
      rule_files: [path.resolve(rules)],
      scrape_configs: [{ job_name: "reading-list", static_configs: [{ targets: [new URL(service.metricsUrl).host] }] }],
    }),
  );
  const address = `127.0.0.1:${port}`;
  const prometheus = spawn("prometheus", [
    `--config.file=${config}`,
    `--storage.tsdb.path=${folder}/data`,
    `--web.listen-address=${address}`,
  ]);
  onTestFinished(async () => {
    prometheus.kill();
    if (prometheus.exitCode === null) await once(prometheus, "exit");
  });
  const ask = async (what: string) => {
    const { data } = (await (await fetch(`http://${address}/api/v1/${what}`)).json()) as { data: unknown };
    return JSON.stringify(data);
  };
  const query = encodeURIComponent('readinglist_calls_total{endpoint="add"}');
  await expect.poll(() => ask(`query?query=${query}`).catch(String), { timeout: 60_000 }).toContain('"reading-list"');
  expect(await ask(`query?query=${encodeURIComponent('up{job="reading-list"}')}`)).toContain('"1"');
  await expect.poll(() => ask("rules"), { timeout: 60_000 }).toContain('"health":"ok"');
  expect(await ask("rules")).not.toContain('"health":"err"');
});
