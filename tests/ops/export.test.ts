// SPDX-License-Identifier: MIT

import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import type { TestUser } from "@reading-list/testing/client.ts";
import { commandsFor, runCommand, startCommand } from "@reading-list/testing/command-line.ts";
import { startDatabaseProxy } from "@reading-list/testing/proxy.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { startDynamodbService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";

let service: TestService;
let commands: Awaited<ReturnType<typeof commandsFor>>;
let folder: string;

beforeAll(async () => {
  service = await startDynamodbService();
  commands = await commandsFor(service);
});
beforeEach(() => {
  folder = temporaryFolder();
});

const linesOf = (text: string) => text.trimEnd().split("\n");

/** A user with three pages, the first changed last, and one deleted page. */
async function userWithPages(): Promise<TestUser> {
  const user = await service.newUser();
  await user.add("https://example.com/1", { title: 'Of "quotes", <b>ünd</b>\nlines', tags: "a,b c" });
  await user.add("https://example.com/2?a=1&b=2", { ref_id: "status-7" });
  await user.add("https://example.com/3");
  await user.add("https://example.com/4");
  service.clock.advance(60);
  await user.send({ delete: [{ url: "https://example.com/3" }], read: [{ url: "https://example.com/1" }] });
  return user;
}

describe("export", () => {
  test("to standard output is JSON Lines with every field, oldest change first, and ends with a checksum", async () => {
    const user = await userWithPages();
    const { code, out, err } = await commands.run("export", user.username);
    expect([code, err]).toEqual([0, expect.not.stringContaining("readinglist:")]);
    const lines = linesOf(out);
    const exported = lines.slice(0, -1).map((line) => JSON.parse(line));
    const items = (await user.items()).reverse();
    expect(exported).toEqual(
      items.map(({ item_id, url, title, tags = "", state, time_added, time_updated }) => ({
        item_id,
        url,
        title,
        tags: tags === "" ? [] : tags.split(","),
        state: state === "1" ? "read" : "unread",
        time_added: Number(time_added),
        time_updated: Number(time_updated),
        application_id: "local",
        ...(url.includes("/2") && { ref_id: "status-7" }),
      })),
    );
    expect(exported.map(({ url }) => url.slice(0, 21))).toEqual(["2", "4", "1"].map((n) => `https://example.com/${n}`));
    const sha256 = createHash("sha256")
      .update(`${lines.slice(0, -1).join("\n")}\n`)
      .digest("hex");
    expect(JSON.parse(lines.at(-1) ?? "")).toEqual({ count: 3, sha256 });
    expect(out).not.toContain("argon2");
  });

  test("has the ref_id of the last addition that gave one", async () => {
    const user = await service.newUser();
    const url = "https://example.com/again";
    for (const ref_id of ["status-1", "status-2", ""]) await user.add(url, { ref_id });
    const { out } = await commands.run("export", user.username);
    expect(JSON.parse(linesOf(out)[0] ?? "")).toMatchObject({ url, ref_id: "status-2" });
  });

  test("writes Netscape bookmarks", async () => {
    const user = await userWithPages();
    const [added, changed] = [(await user.items()).at(-1)?.time_added, (await user.items())[0]?.time_updated];
    const { out } = await commands.run("export", user.username, "--format", "html");
    expect(out).toMatch(/^<!DOCTYPE NETSCAPE-Bookmark-file-1>\n/);
    expect(linesOf(out).slice(5, -1)).toEqual([
      expect.stringContaining('HREF="https://example.com/2?a=1&amp;b=2"'),
      expect.stringContaining('TOREAD="1" TAGS="">https://example.com/4</A>'),
      `    <DT><A HREF="https://example.com/1" ADD_DATE="${added}" LAST_MODIFIED="${changed}" TOREAD="0" TAGS="a,b c">Of &quot;quotes&quot;, &lt;b&gt;ünd&lt;/b&gt;`,
      "lines</A>",
    ]);
  });

  test("writes CSV, and the CSV of Pocket", async () => {
    const user = await userWithPages();
    const [added, changed] = [(await user.items()).at(-1)?.time_added, (await user.items())[0]?.time_updated];
    const iso = (seconds: string | undefined) => new Date(Number(seconds) * 1000).toISOString().replace(".000", "");
    const csv = (await commands.run("export", user.username, "--format", "csv")).out;
    expect(csv).toMatch(/^url,title,tags,state,time_added,time_updated,note\n/);
    expect(csv).toMatch(
      `https://example.com/1,"Of ""quotes"", <b>ünd</b>\nlines","a,b c",read,${iso(added)},${iso(changed)},\n`,
    );
    const pocket = (await commands.run("export", user.username, "--format", "pocket")).out;
    expect(pocket).toMatch(/^title,url,time_added,tags,status\n/);
    expect(pocket).toMatch(`"Of ""quotes"", <b>ünd</b>\nlines",https://example.com/1,${added},a|b c,archive\n`);
  });

  test("to a file creates it readable only by its owner, and replaces one only with --yes", async () => {
    const user = await userWithPages();
    const file = path.join(folder, "list.jsonl");
    expect(await commands.ok("export", user.username, "--output", file)).toEqual({
      username: user.username,
      format: "jsonl",
      items: 3,
      file,
    });
    expect(linesOf(readFileSync(file, "utf8"))).toHaveLength(4);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    writeFileSync(file, "precious");
    const { code, err } = await commands.run("export", user.username, "--output", file);
    expect([code, err]).toEqual([2, expect.stringContaining("--yes")]);
    expect(readFileSync(file, "utf8")).toBe("precious");
    await commands.ok("export", user.username, "--output", file);
    expect(readFileSync(file, "utf8")).toContain("sha256");
  });

  test("to a file does not write through a link or into a file that is in the place of its draft", async () => {
    const user = await userWithPages();
    const [file, other] = [path.join(folder, "list.jsonl"), path.join(folder, "other")];
    writeFileSync(other, "precious");
    symlinkSync(other, `${file}.unfinished`);
    await commands.ok("export", user.username, "--output", file);
    expect(readFileSync(other, "utf8")).toBe("precious");
    writeFileSync(`${file}.unfinished`, "");
    chmodSync(`${file}.unfinished`, 0o666);
    await commands.ok("export", user.username, "--output", file);
    expect(lstatSync(file).mode).toBe(0o100600);
  });

  test("to a pipe whose reader has ended prints no error", async () => {
    const user = await userWithPages();
    const child = startCommand(["export", user.username], commands.env);
    let err = "";
    child.stderr?.on("data", (text) => (err += text));
    child.stdout?.destroy();
    const [code] = await once(child, "close");
    expect([code, err]).toEqual([1, ""]);
  });

  test("to a file that cannot be written leaves nothing", async () => {
    const user = await userWithPages();
    const missing = path.join(folder, "missing", "list.jsonl");
    const { code, err } = await commands.run("export", user.username, "--output", missing);
    expect([code, err]).toEqual([1, expect.stringContaining("cannot be written")]);
    expect(existsSync(missing)).toBe(false);
  });

  test("of an unknown format is a wrong command line", async () => {
    expect((await commands.run("export", "ann", "--format", "pdf")).code).toBe(2);
  });

  describe("of a list that a client changes meanwhile", () => {
    /** Commands on a database that adds a page for `user` before its first query, some times. */
    async function runWhileChanging(user: TestUser, times: number, ...args: string[]) {
      let changes = 0;
      const proxy = await startDatabaseProxy(commands.env.DYNAMODB_ENDPOINT, async (operation) => {
        if (operation === "Query" && changes < times) await user.add(`https://example.org/${changes++}`);
      });
      return runCommand(["export", user.username, ...args], { ...commands.env, DYNAMODB_ENDPOINT: proxy });
    }

    test("writes the file again until it is the list of one moment", async () => {
      const user = await userWithPages();
      const file = path.join(folder, "list.jsonl");
      const { code, err } = await runWhileChanging(user, 2, "--output", file);
      expect([code, err]).toEqual([0, expect.anything()]);
      const urls = linesOf(readFileSync(file, "utf8")).map((line) => JSON.parse(line).url);
      expect(urls.slice(0, -1)).toEqual((await user.items()).map(({ url }) => url).reverse());
      expect(readdirSync(folder)).toEqual(["list.jsonl"]);
    });

    test("ends standard output without the checksum, with exit code 1", async () => {
      const user = await userWithPages();
      const { code, out, err } = await runWhileChanging(user, 1);
      expect([code, err]).toEqual([1, expect.stringContaining("changed during the export")]);
      expect(out).not.toContain("sha256");
    });
  });
});
