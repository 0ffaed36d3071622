// SPDX-License-Identifier: MIT

import { writeFileSync } from "node:fs";
import path from "node:path";
import { form, type ItemAnswer, itemsInOrder } from "@reading-list/testing/client.ts";
import { startCommand } from "@reading-list/testing/command-line.ts";
import { randomFrom, seed } from "@reading-list/testing/seeded-random.ts";
import { type Started, start, untilReady } from "@reading-list/testing/started-service.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { afterAll, expect, test } from "vitest";

/** Kills; more for a longer run. */
const rounds = Number(process.env.FAULTS_CHANGES ?? 6);
const writers = 4;
const pagesEach = 5;
/** At most so many writes are acknowledged in a round before the kill, and at least one. */
const maxWrites = 40;

const random = randomFrom(seed);
const dataDir = temporaryFolder();
let running: Started | undefined;

afterAll(async () => {
  running?.process.kill("SIGKILL");
  await running?.ended;
});

/** The tag that all pages of one send get, and their state after its last change. */
interface Mark {
  tag: string;
  state: "0" | "1";
}

/** Pages that are always changed together, by one send. */
interface Group {
  urls: string[];
  acknowledged?: Mark;
  /** Mark of a send whose outcome is unknown. */
  asked?: Mark | undefined;
}

/** A client that adds groups of pages and changes them. It begins a round by repeating an interrupted send. */
class GroupWriter {
  readonly groups: Group[] = [];
  acknowledged = 0;
  readonly #name: string;
  #sends = 0;
  #open: { group: Group; mark: Mark; parameters: Record<string, string> } | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  /** Sends until the service no longer answers; calls `report` for each acknowledgement. */
  async write(baseUrl: string, report: () => void): Promise<void> {
    for (;;) {
      this.#open ??= this.#draw();
      const { group, mark, parameters } = this.#open;
      group.asked = mark;
      const answer = await call(baseUrl, "send", parameters).catch(() => undefined);
      if (!answer) return;
      expect([200, 503]).toContain(answer.status);
      if (answer.status === 503) continue;
      group.acknowledged = mark;
      group.asked = undefined;
      this.#open = undefined;
      this.acknowledged += 1;
      report();
    }
  }

  #draw() {
    const tag = `${this.#name}-${this.#sends++}`;
    const known = this.groups[Math.floor(random() * this.groups.length)];
    if (known && random() < 0.5)
      return { group: known, mark: { tag, state: "1" } as Mark, parameters: changes(known, tag, "read") };
    const urls = Array.from({ length: pagesEach }, (_, i) => `http://example.com/${tag}/${i}`);
    const group: Group = { urls };
    this.groups.push(group);
    return { group, mark: { tag, state: "0" } as Mark, parameters: changes(group, tag, "new") };
  }
}

const changes = ({ urls }: Group, tags: string, kind: "new" | "read") => ({
  [kind]: JSON.stringify(urls.map((url) => ({ url }))),
  update_tags: JSON.stringify(urls.map((url) => ({ url, tags }))),
});

async function call(baseUrl: string, endpoint: string, parameters: Record<string, string> = {}) {
  const body = form({ apikey: "local-dev-key", username: "ann", password: "secret", ...parameters });
  const response = await fetch(`${baseUrl}/v2/${endpoint}`, { method: "POST", body });
  return { status: response.status, body: await response.text() };
}

/** Expects each group as it was acknowledged or, if a send was interrupted, as that send would leave all of it. */
function expectWhole(groups: readonly Group[], items: readonly ItemAnswer[]): void {
  const byUrl = new Map(items.map((item) => [item.url, item]));
  for (const { urls, acknowledged, asked } of groups) {
    const marks = new Set(urls.map((url) => markOf(byUrl.get(url))));
    expect(marks.size, "a send that was half applied").toBe(1);
    const possible = [...(asked ? [nameOf(asked)] : []), acknowledged && nameOf(acknowledged)];
    expect(possible).toContain([...marks][0]);
  }
  const asked = new Set(groups.flatMap(({ urls }) => urls));
  expect(items.filter(({ url }) => !asked.has(url))).toEqual([]);
}

const nameOf = ({ tag, state }: Mark) => `${tag} ${state}`;
const markOf = (item: ItemAnswer | undefined) => item && nameOf({ tag: item.tags ?? "", state: item.state as "0" });

/** Expects a list to have as many items as its record counts. */
async function expectCounts(baseUrl: string, username: string): Promise<void> {
  const items = itemsInOrder((await call(baseUrl, "get", { username })).body);
  const unread = items.filter(({ state }) => state === "0").length;
  const counts = { count_list: `${items.length}`, count_unread: `${unread}`, count_read: `${items.length - unread}` };
  expect(JSON.parse((await call(baseUrl, "stats", { username })).body)).toMatchObject(counts);
}

/** Starts an import of pages into the list of bob, which is killed with the service. */
function startImport(round: number) {
  const file = path.join(dataDir, "import.jsonl");
  const lines = Array.from({ length: 2000 }, (_, n) => JSON.stringify({ url: `https://example.com/${round}/${n}` }));
  writeFileSync(file, lines.join("\n"));
  return startCommand(["import", file, "--user", "bob"], { DATA_DIR: dataDir });
}

test(
  `a service that is killed ${rounds} times in the middle of writes and an import keeps every acknowledged write and applies each atomically (FAULTS_SEED=${seed})`,
  async () => {
    const clients = Array.from({ length: writers }, (_, i) => new GroupWriter(`writer-${i}`));
    let verified = 0;
    for (let round = 0; round <= rounds; round++) {
      running = start({ DATA_DIR: dataDir, USER_LIMIT: "1000000", KEY_LIMIT: "1000000" });
      const { baseUrl } = await untilReady(running);
      if (round === 0) {
        for (const username of ["ann", "bob"]) expect((await call(baseUrl, "signup", { username })).status).toBe(200);
      }
      await expectCounts(baseUrl, "bob");

      const items = itemsInOrder((await call(baseUrl, "get", { tags: "1" })).body);
      expectWhole(
        clients.flatMap(({ groups }) => groups),
        items,
      );
      verified += items.length;
      await expectCounts(baseUrl, "ann");
      if (round === rounds) break;

      let left = Math.ceil(random() * maxWrites);
      const processes = [running.process, startImport(round)];
      const report = () => {
        left -= 1;
        if (left === 0) for (const each of processes) each.kill("SIGKILL");
      };
      await Promise.all(clients.map((client) => client.write(baseUrl, report)));
      await running.ended;
    }
    const acknowledged = clients.reduce((sum, client) => sum + client.acknowledged, 0);
    console.table([{ fault: "kill -9", rounds, acknowledged, verified }]);
  },
  15_000 * (rounds + 1),
);
