// SPDX-License-Identifier: MIT

import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { start, untilReady } from "@reading-list/testing/started-service.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { describe, expect, onTestFinished, test } from "vitest";
import { installedProxies } from "./reverse-proxy.ts";

describe("the start of the container", () => {
  async function startContainer(env: Record<string, string>) {
    const started = start({ HOST: "0.0.0.0", ...env }, ["deploy/container/start"]);
    onTestFinished(() => void started.process.kill("SIGKILL"));
    const { baseUrl } = await untilReady(started);
    const [, printed] = /^API key (.+)$/m.exec(started.output()) ?? [];
    const statusOf = async (apikey: string) =>
      (
        await fetch(`${baseUrl.replace("0.0.0.0", "127.0.0.1")}/v2/api`, {
          method: "POST",
          body: new URLSearchParams({ apikey }),
        })
      ).status;
    return { printed, statusOf, started };
  }
  const stop = async ({ started }: Awaited<ReturnType<typeof startContainer>>) => {
    started.process.kill("SIGTERM");
    expect(await started.ended).toBe(0);
  };

  test("makes an API key, prints it once, and keeps it", async () => {
    const DATA_DIR = temporaryFolder();
    const first = await startContainer({ DATA_DIR });
    const key = String(first.printed);
    expect(key).toMatch(/^[\w-]{32}$/);
    await stop(first);
    const again = await startContainer({ DATA_DIR });
    expect([again.printed, await again.statusOf(key)]).toEqual([undefined, 200]);
  });

  test("takes LOCAL_API_KEY in its place", async () => {
    const own = await startContainer({ DATA_DIR: temporaryFolder(), LOCAL_API_KEY: "a key of my own" });
    expect([own.printed, await own.statusOf("a key of my own")]).toEqual(["a key of my own", 200]);
  });
});

describe.skipIf(process.getuid?.() !== 0)("the start of the container as root", () => {
  const ids = { PUID: "4711", PGID: "4712" };

  function folderOf(files: readonly string[]): string {
    const folder = mkdtempSync("/tmp/container-data-");
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    for (const name of files) writeFileSync(path.join(folder, name), "", { mode: 0o600 });
    return folder;
  }
  function startAsRoot(DATA_DIR: string, env: Record<string, string> = {}) {
    const started = start({ HOST: "0.0.0.0", DATA_DIR, ...ids, ...env }, ["deploy/container/start"]);
    onTestFinished(() => void started.process.kill("SIGKILL"));
    return started;
  }
  const ownersIn = (folder: string) =>
    [folder, ...readdirSync(folder).map((name) => path.join(folder, name))].map((file) => {
      const { uid, gid } = statSync(file);
      return `${uid}:${gid}`;
    });

  test("owns an empty folder, and drops its rights", async () => {
    const folder = folderOf([]);
    const started = startAsRoot(folder);
    await untilReady(started);
    const status = readFileSync(`/proc/${started.process.pid}/status`, "utf8");
    expect(status).toMatch(/^Uid:\t4711\t4711\t4711\t4711$/m);
    expect(status).toMatch(/^Gid:\t4712\t4712\t4712\t4712$/m);
    expect(status).toMatch(/^Groups:\s*$/m);
    expect(status).toMatch(/^CapEff:\t0+$/m);
    expect(new Set(ownersIn(folder))).toEqual(new Set(["4711:4712"]));
  });

  test("says how to repair a folder with data of another owner, and owns it with OWN_DATA=1", async () => {
    const folder = folderOf(["reading-list.db"]);
    const refused = startAsRoot(folder);
    expect(await refused.ended).toBe(78);
    expect(refused.output()).toMatch(
      /^\S+ belongs to the user 0, .* run chown -R 4711:4712 FOLDER [^\n]*OWN_DATA=1\n$/,
    );
    expect(new Set(ownersIn(folder))).toEqual(new Set(["0:0"]));
    await untilReady(startAsRoot(folder, { OWN_DATA: "1" }));
    expect(new Set(ownersIn(folder))).toEqual(new Set(["4711:4712"]));
  });

  test.each([{ PUID: "0" }, { PUID: "ann" }, { PGID: "a:b" }])("refuses %j", async (wrong: Record<string, string>) => {
    const refused = startAsRoot(folderOf([]), wrong);
    expect(await refused.ended).toBe(78);
    expect(refused.output()).toMatch(/^PUID, PGID: must be the ids/);
  });
});

/** The Caddyfile of compose.yaml with the variables that Compose replaces. */
function readCaddyfile(variables: Record<string, string>): string {
  const [, content = ""] = /^ {4}content: \|\n((?: {6}.*\n|\n)+)/m.exec(readFileSync("compose.yaml", "utf8")) ?? [];
  return content
    .replaceAll(/^ {6}/gm, "")
    .replaceAll(/\$\{(\w+):-([^}]*)\}/g, (_, name: string, other: string) => variables[name] ?? other);
}

describe("compose.yaml", () => {
  test("has the Caddyfile of deploy/self-hosting, except for names", () => {
    const lines = (text: string) =>
      text
        .split("\n")
        .map((line) => line.trim())
        .filter((line) => line && line !== "# /etc/caddy/Caddyfile");
    const own = readCaddyfile({ DOMAIN: "list.example.com" }).replaceAll("reading-list:3000", "127.0.0.1:3000");
    expect(lines(own)).toEqual(lines(readFileSync("deploy/self-hosting/Caddyfile", "utf8")));
  });

  test.skipIf(!installedProxies.includes("caddy")).each([
    ["HTTPS with DOMAIN", { DOMAIN: "list.example.com" }, [":443"], "acme"],
    ["HTTPS of Caddy's own authority", { DOMAIN: "list.home.arpa", TLS: "tls internal" }, [":443"], "internal"],
    ["HTTP without DOMAIN", {}, [":80"], undefined],
  ] as const)("lets Caddy serve %s", (_, variables, listen, issuer) => {
    const file = path.join(temporaryFolder(), "Caddyfile");
    writeFileSync(file, readCaddyfile(variables));
    const adapted = execFileSync("caddy", ["adapt", "--config", file, "--adapter", "caddyfile"], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    const { apps } = JSON.parse(String(adapted));
    const [server] = Object.values(apps.http.servers) as { listen: string[] }[];
    expect(server?.listen).toEqual(listen);
    if (issuer === "internal") expect(JSON.stringify(apps.tls)).toContain('"module":"internal"');
    else expect(apps.tls).toBeUndefined();
  });
});
