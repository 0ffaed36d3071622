// SPDX-License-Identifier: MIT

/**
 * The cost of a million calls of each kind on AWS: the capacity units that the bench measures, the memory that the stacks
 * give each function, and the prices and assumptions below.
 *
 *   npm run bench:cost
 */
import path from "node:path";
import { rounded, type Subject, tableOf } from "@reading-list/testing/table-text.ts";
import { evaluateStacks } from "../../tests/stacks/evaluate.ts";
import { measureCapacity } from "./capacity.ts";
import { costOfContainers } from "./container-cost.ts";
import { measureKeptPages, pageSeconds, pictureBytes } from "./kept-pages.ts";
import type { Spent } from "./meter.ts";
import { databaseDollars, dollars, prices } from "./prices.ts";

/** Kilobytes of logs of a call on a busy stage: its line of the access log, and its share of a line of the function. */
const logKilobytes = 0.16;
/** Milliseconds of a round trip to DynamoDB from a warm function, assumed. */
const roundTripMs = 6;
/** Resources of a kind of call other than the database, by its name in capacity.ts. */
interface Assumed {
  endpoint: string;
  /** Billed ms of its own work: about twice the warm time of `bench:cold`; more for `api`, which has less CPU. */
  ownMs: number;
  /** Kilobytes of the answer with its headers, compressed. */
  sentKilobytes: number;
  objectsRead?: number;
  objectsWritten?: number;
}

const small = { ownMs: 6, sentKilobytes: 0.8 };
/** A page without a saved article, which is saved as one object. */
const unkeptPage: Assumed = { endpoint: "article", ownMs: 1000, sentKilobytes: 6, objectsRead: 1, objectsWritten: 1 };
const assumed: Record<string, Assumed> = {
  auth: { endpoint: "auth", ...small },
  stats: { endpoint: "stats", ...small },
  "get, nothing new": { endpoint: "get", ...small },
  api: { endpoint: "api", ...small, ownMs: 10 },
  "auth, first of the day": { endpoint: "auth", ...small, ownMs: 66 },
  "get of 30": { endpoint: "get", ownMs: 14, sentKilobytes: 4 },
  "get of 1 change": { endpoint: "get", ownMs: 10, sentKilobytes: 1 },
  "add, a new page": { endpoint: "add", ...small, ownMs: 12 },
  "add, a saved page": { endpoint: "add", ...small, ownMs: 12 },
  "send of 99": { endpoint: "send", ...small, ownMs: 60 },
  "send of 99 reads": { endpoint: "send", ...small, ownMs: 60 },
  // The kept articles of what is found; after a change the stored index, which is the known one, and an article.
  "search of 10": { endpoint: "search", ownMs: 50, sentKilobytes: 4, objectsRead: 10 },
  "search of 10, 1 change": { endpoint: "search", ownMs: 80, sentKilobytes: 4, objectsRead: 12 },
  "send, progress of 1": { endpoint: "send", ...small, ownMs: 12 },
  "send, restore of 1": { endpoint: "send", ...small, ownMs: 12 },
  "trash of 30": { endpoint: "trash", ownMs: 14, sentKilobytes: 4 },
  "highlights, save 1": { endpoint: "highlights", ...small, ownMs: 12 },
  "highlights, save 99": { endpoint: "highlights", ...small, ownMs: 60 },
  "highlights of 30": { endpoint: "highlights", ownMs: 14, sentKilobytes: 4 },
  "highlights, nothing new": { endpoint: "highlights", ...small },
  signup: { endpoint: "signup", ...small, ownMs: 60 },
  text: { endpoint: "text", ownMs: 20, sentKilobytes: 6, objectsRead: 1 },
  "article, kept": { endpoint: "article", ownMs: 20, sentKilobytes: 6, objectsRead: 1 },
  "article, not kept": unkeptPage,
};
/** A page that is not cached: most of the time is spent waiting for its origin. */
const unreadPage: Assumed = { endpoint: "text", ownMs: 800, sentKilobytes: 6, objectsRead: 1, objectsWritten: 1 };

const unitsOf = ({ readUnits, writeUnits }: Spent) => ({ read: rounded(readUnits), write: rounded(writeUnits) });
const bucketDollars = ({ objectsRead = 0, objectsWritten = 0 }: Assumed) =>
  objectsRead * prices.perMillionObjectsRead + objectsWritten * prices.perMillionObjectsWritten;
const sentDollars = ({ sentKilobytes }: Assumed) => sentKilobytes * prices.perGigabyteSent;

/** One row of the table: dollars for a million calls. */
function rowOf(call: string, kind: Assumed, spent: Spent, memoryMegabytes: number) {
  const units = unitsOf(spent);
  const billedMs = kind.ownMs + roundTripMs * spent.steps;
  const database = databaseDollars(units.read, units.write);
  const lambda =
    prices.perMillionInvocations + (billedMs / 1000) * (memoryMegabytes / 1024) * 1e6 * prices.perArmGigabyteSecond;
  const bucket = bucketDollars(kind);
  // A million kilobytes are a gigabyte.
  const logs = logKilobytes * prices.perGigabyteOfLogs;
  const sent = sentDollars(kind);
  const gateway = prices.perMillionHttpApiCalls;
  return {
    call,
    "read units": units.read,
    "write units": units.write,
    "billed ms": billedMs,
    MB: memoryMegabytes,
    database: dollars(database),
    lambda: dollars(lambda),
    gateway: dollars(gateway),
    bucket: dollars(bucket),
    logs: dollars(logs),
    sent: dollars(sent),
    total: dollars(database + lambda + gateway + bucket + logs + sent),
  };
}

/**
 * Calls of one user in a month of 30 days: a poll every 15 minutes. One a day verifies the password again and two
 * find a change, 2 adds and 2 texts a day. In fact some texts are cached.
 */
const callsOfUser = {
  "get, nothing new": 2790,
  "auth, first of the day": 30,
  "get of 1 change": 60,
  "add, a new page": 60,
  "text, not cached": 60,
};
const secondsOfMonth = 30 * 86_400;
/** The busiest hours have so many times the mean. */
const peak = 3;

/** The peak load and the cost of a number of users. */
function loadOf(users: number, rows: readonly ReturnType<typeof rowOf>[]) {
  let [calls, units, seconds, cost] = [0, 0, 0, 0];
  for (const [call, times] of Object.entries(callsOfUser)) {
    const row = rows.find((each) => each.call === call);
    if (!row) throw new Error(`no row of ${call}`);
    calls += users * times;
    units += users * times * row["write units"];
    seconds += (users * times * row["billed ms"]) / 1000;
    cost += (users * times * Number(row.total)) / 1e6;
  }
  const atPeak = (amount: number) => Math.ceil((peak * amount) / secondsOfMonth);
  return {
    users,
    "calls a second at the peak": atPeak(calls),
    "executions at once": atPeak(seconds),
    "write units a second": atPeak(units),
    "dollars a month": Math.ceil(cost),
  };
}

const measured = await measureCapacity();
const { builds, resources } = await evaluateStacks("dev-ann");
const memoryOf = (endpoint: string) => {
  const component = builds.find(({ handler }) => path.basename(handler, ".handler") === endpoint)?.functionID;
  return Number(resources.find(({ name }) => name === `${component}Function`)?.inputs.memorySize);
};
const spentBy = (call: string) => {
  const spent = measured.get(call);
  if (!spent) throw new Error(`the bench of capacity units has no ${call}`);
  return spent;
};
const shownName = (call: string) => (call === "text" ? "text, cached" : call);
const rows = Object.entries(assumed).map(([call, kind]) =>
  rowOf(shownName(call), kind, spentBy(call), memoryOf(kind.endpoint)),
);
rows.push(rowOf("text, not cached", unreadPage, spentBy("text"), memoryOf("text")));
const subject: Subject = {
  title: "US dollars for a million calls",
  notes: [
    "us-east-1, November 2026, on demand, arm64, without free tier. Units as this run measured them; assumed:",
    `${roundTripMs} ms for each step in the database and about twice the warm time of bench:cold for the function's own work;`,
    `answers of 0.8 to 6 KB, and ${logKilobytes} KB of logs for a call on a busy stage.`,
  ],
  rows,
};
console.log(tableOf(subject));
const containers = await costOfContainers(
  Object.entries(assumed).map(([call, kind]) => {
    const { read, write } = unitsOf(spentBy(call));
    const bucket = { bucketDollars: bucketDollars(kind), sentDollars: sentDollars(kind) };
    return { call: shownName(call), readUnits: read, writeUnits: write, ...bucket };
  }),
);
console.log(tableOf(containers));
const loads: Subject = {
  title: "Users",
  notes: [
    "A poll every 15 minutes, 2 adds and 2 texts a day; the peak is three times the mean. Each key costs a write unit a",
    "second more in each busy process, at most one for each call. Without storage.",
  ],
  rows: [1000, 100_000, 1_000_000, 3_000_000].map((users) => loadOf(users, rows)),
};
console.log(tableOf(loads));

/** Assumed: seconds of the imaging function for a picture; compressed bytes of an article, and of its records in the table. */
const [imagingSeconds, articleBytes, recordBytes] = [1, 10_000, 1500];
/** Pages a month of a user, and the largest number of users whose saved pages the table shows. */
const [pagesOfUser, manyUsers] = [callsOfUser["add, a new page"], 1_000_000];
const keptPages = [await measureKeptPages(0), await measureKeptPages(5)];
const lambdaDollars = (name: string, seconds: number, calls: number) =>
  calls * prices.perMillionInvocations + ((seconds * memoryOf(name)) / 1024) * 1e6 * prices.perArmGigabyteSecond;

/** Dollars for a million saved pages. */
const partsOf = ({ pictures, readUnits, writeUnits, objectsRead, objectsWritten }: (typeof keptPages)[number]) => ({
  table: databaseDollars(readUnits, writeUnits),
  buckets: objectsRead * prices.perMillionObjectsRead + objectsWritten * prices.perMillionObjectsWritten,
  extraction: lambdaDollars("extraction", pageSeconds, 1),
  imaging: lambdaDollars("imaging", pictures * imagingSeconds, pictures),
});
console.log(
  tableOf({
    title: "US dollars for a million pages that are saved in the background",
    notes: [
      `Users with one page each, of different sites; ${pageSeconds} s of extraction a page, ${imagingSeconds} s of imaging a picture.`,
    ],
    rows: keptPages.map((each) => ({
      pictures: each.pictures,
      "read units": rounded(each.readUnits),
      "write units": rounded(each.writeUnits),
      GET: rounded(each.objectsRead),
      PUT: rounded(each.objectsWritten),
      "keeper ms": rounded(each.processorMs),
      ...Object.fromEntries(Object.entries(partsOf(each)).map(([part, amount]) => [part, dollars(amount)])),
    })),
  }),
);
const [plain, pictured] = keptPages.map(partsOf) as [ReturnType<typeof partsOf>, ReturnType<typeof partsOf>];
const millions = (manyUsers * pagesOfUser) / 1e6;
const gigabytes = (bytes: number) => (bytes * millions * 1e6) / 1e9;
const [, { pictures: number }] = keptPages as [(typeof keptPages)[number], (typeof keptPages)[number]];
const objects = gigabytes(articleBytes + number * pictureBytes);
const records = gigabytes(recordBytes);
const monthly: [part: string, amount: number][] = [
  ["calls of users", Number(loadOf(manyUsers, rows)["dollars a month"])],
  ["saved pages: table and buckets", millions * (plain.table + plain.buckets)],
  ["saved pages: extraction", millions * plain.extraction],
  // A run of 44 s a minute.
  ["saved pages: keeping", lambdaDollars("keeping", (44 * secondsOfMonth) / 60, 0) / 1e6],
  ["pictures: table and buckets", millions * (pictured.table + pictured.buckets - plain.table - plain.buckets)],
  ["pictures: imaging", millions * pictured.imaging],
  [
    `storage of a month's pages: ${rounded(objects / 1000)} TB in buckets, ${rounded(records)} GB in the table`,
    objects * prices.perGigabyteMonthOfObjects + records * prices.perGigabyteMonthOfTable,
  ],
];
console.log(
  tableOf({
    title: `${manyUsers} users who save ${pagesOfUser} pages a month each, with ${number} pictures of ${pictureBytes / 1000} kB a page`,
    notes: ["Storage grows by as much each month, and backups cost as much again as it takes in the table."],
    rows: [...monthly, ["all", monthly.reduce((sum, [, amount]) => sum + amount, 0)] as const].map(
      ([part, amount]) => ({
        part,
        "dollars a month": Math.round(amount as number),
      }),
    ),
  }),
);
