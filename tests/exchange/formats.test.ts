import { readFileSync } from "node:fs";
import { formats } from "@reading-list/exchange/formats.ts";
import { FormatError, readEntries } from "@reading-list/exchange/main.ts";
import { strToU8, zipSync } from "fflate";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { collect, inChunks, readFile } from "./read-file.ts";
import { samples } from "./samples.ts";

const all = Object.entries(samples).map(([name, sample]) => ({ name, ...sample }));
const bytesOf = (text: string) => new TextEncoder().encode(text);

test("every format has a sample", () => {
  expect(Object.keys(samples).sort()).toEqual(formats.map(({ name }) => name).sort());
});

describe.each(all)("$name ($source)", ({ name, file, entries }) => {
  test("its content tells the format, and its entries have URL, title, tags, state, time and line", async () => {
    expect(await readFile(file)).toEqual({
      format: name,
      rows: entries.map((entry) => expect.objectContaining(entry)),
    });
  });

  test("bytes that arrive one by one give the same", async () => {
    expect(await collect(await readEntries(inChunks(bytesOf(file), 1)))).toEqual(await readFile(file));
  });

  test("a byte order mark is not part of it", async () => {
    expect(await readFile(`\uFEFF${file}`)).toEqual(await readFile(file));
  });

  test("lines may end with CRLF", async () => {
    const { format, rows } = await readFile(file.replaceAll("\n", "\r\n"));
    const expected = JSON.stringify((await readFile(file)).rows).replaceAll("\\n", "\\r\\n");
    expect(format).toBe(name);
    expect(JSON.stringify(rows)).toBe(expected);
  });

  test("it may be in Latin-1", async () => {
    const { rows } = await readFile(Uint8Array.from(Buffer.from(file, "latin1")));
    expect(rows.filter((row) => !("problem" in row))).toEqual((await readFile(file)).rows);
  });

  test("it may be in UTF-16 with a byte order mark", async () => {
    const { rows } = await readFile(Uint8Array.from(Buffer.from(`\uFEFF${file}`, "utf16le")));
    expect(rows).toEqual((await readFile(file)).rows);
  });
});

describe("files that were damaged", () => {
  test.each([
    ["JSON Lines", samples["json-lines"]?.file.split('{"count')[0], 3, "cut off"],
    ["a JSON file", samples.karakeep?.file.slice(0, 300), 3, "ends within"],
    ["a CSV file", samples["pocket-csv"]?.file.slice(0, -9), 3, "ends within"],
    ["a quotation in CSV", samples.instapaper?.file.slice(0, 150), 3, "within a quotation"],
    ["a tag of HTML", samples.netscape?.file.slice(0, -50), 16, "ends within"],
    ["a link of HTML", samples.netscape?.file.slice(0, -25), 16, "ends within"],
  ])(
    "%s that was cut off has a problem on its last line, and all entries before it",
    async (_, file = "", line, problem) => {
      const { rows } = await readFile(file);
      expect(rows.at(-1)).toEqual({ line, problem: expect.stringContaining(problem) });
      expect(rows[0]).toMatchObject({ title: 'One, "first"' });
    },
  );

  test("an address that is none of the web is a problem that does not repeat it", async () => {
    const file = "title,url\nA,https://a.example/\nB,javascript:secret\nC,\nD,https://d.example/\n";
    const { rows } = await readFile(file);
    expect(rows.filter((row) => "problem" in row)).toEqual([
      { line: 3, problem: "not an http(s) URL" },
      { line: 4, problem: "the URL is missing" },
    ]);
    expect(rows).toHaveLength(4);
  });

  test("a quotation mark that is missing ends the reading after 1 MB, with a problem", async () => {
    const lines = Array.from({ length: 60_000 }, (_, n) => `t${n},https://a.example/${n}`).join("\n");
    const { rows } = await readFile(`title,url\nA,https://a.example/\n"B,https://b.example/\n${lines}\n`);
    expect(rows).toEqual([
      expect.objectContaining({ title: "A" }),
      { line: 3, problem: expect.stringContaining("quotation mark") },
    ]);
  });

  test.each(['\\"', "\\n", "ü", "😀"])(
    "a %j on the border of two chunks of a file is read whole",
    async (character) => {
      const head = '[{"url":"https://a.example/","slug":"a","savedAt":"2024-01-01","labels":[],"description":"';
      const title = '","title":"';
      const { rows } = await readFile(`${head.padEnd(65_535 - title.length, "x")}${title}${character} {"}]`);
      expect(rows).toMatchObject([{ title: JSON.parse(`"${character} {"`) }]);
    },
  );

  test("brackets without end do not exhaust the memory", async () => {
    const { rows } = await readFile(`${samples.karakeep?.file.slice(0, 200)}${"[".repeat(5_000_000)}`);
    expect(rows.at(-1)).toMatchObject({ problem: expect.stringContaining("brackets") });
  });

  test.each(["", "hello", "a,b\n1,2\n", "<p>hello</p>", '{"a":1}', "[]", "[1,2]", "\0\0\0\0", "PK"])(
    "a file of no known format is refused: %j",
    async (file) => {
      await expect(readFile(file)).rejects.toThrow(FormatError);
    },
  );
});

describe("values that a list cannot hold as they are", () => {
  const entryOf = async (fields: object) =>
    (await readFile(`${JSON.stringify({ url: "https://a.example/", state: "read", ...fields })}\n`)).rows[0];

  test("a title of more than 1,000 characters is cut", async () => {
    expect(await entryOf({ title: "😀".repeat(1001) })).toMatchObject({ title: "😀".repeat(1000) });
  });

  test("of tags, as many are kept as fit into 1,000 characters, each once", async () => {
    const tags = Array.from({ length: 200 }, (_, n) => `tag${100 + n}`);
    expect(await entryOf({ tags: ["tag100", ...tags] })).toMatchObject({ tags: tags.slice(0, 143) });
  });

  test("a tag with a comma is several, because commas separate tags", async () => {
    expect(await entryOf({ tags: ["a, b", "c"] })).toMatchObject({ tags: ["a", "b", "c"] });
  });

  test("NUL characters and unpaired surrogates are removed", async () => {
    expect(await entryOf({ title: "a\0b\ud800c" })).toMatchObject({ title: "ab\ufffdc" });
  });

  test("a URL of more than 4,096 characters is a problem", async () => {
    expect(await entryOf({ url: `https://a.example/${"x".repeat(4096)}` })).toMatchObject({
      problem: "the URL has more than 4096 characters",
    });
  });

  test("a title that is the URL is none", async () => {
    expect(await entryOf({ title: "https://a.example/" })).toMatchObject({ title: "" });
  });

  test.each([
    ["1700000001", 1700000001],
    ["1700000001.9", 1700000001],
    ["1700000001234", 1700000001],
    ["1700000001234567", 1700000001],
    ["2023-11-14T22:13:21Z", 1700000001],
    ["2023-11-14 22:13:21", 1700000001],
    ["2023-11-15T00:13:21+0200", 1700000001],
    ["2023-11-14", 1699920000],
    ["0", undefined],
    ["-5", undefined],
    ["yesterday", undefined],
    ["", undefined],
  ])("the time %j is %j in Unix seconds", async (time, seconds) => {
    vi.stubEnv("TZ", "Asia/Tokyo");
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await entryOf({ time_added: time })).toMatchObject({ timeAdded: seconds });
  });
});

describe("archives", () => {
  const pocket = strToU8(samples["pocket-csv"]?.file ?? "");
  const second = strToU8("title,url,time_added,tags,status\nC,https://c.example/,1700000003,,unread\n");

  test("a Pocket zip has the entries of all its parts, with the name of the part", async () => {
    const zip = zipSync({
      "part_000000.csv": pocket,
      "annotations/part_000000.json": strToU8("[]"),
      "part_000001.csv": second,
    });
    expect(await readFile(zip)).toEqual({
      format: "pocket-csv",
      rows: [
        ...(await readFile(samples["pocket-csv"]?.file ?? "")).rows.map((row) => ({ ...row, file: "part_000000.csv" })),
        expect.objectContaining({ url: "https://c.example/", file: "part_000001.csv", line: 2 }),
      ],
    });
  });

  test("of an Omnivore zip, the articles and highlights are not read", async () => {
    const zip = zipSync({
      "content/one.html": strToU8('<a href="https://other.example/">link</a>'),
      "metadata_0_to_20.json": strToU8(samples.omnivore?.file ?? ""),
      "highlights/one.md": strToU8("> text"),
    });
    const { format, rows } = await collect(await readEntries(inChunks(zip, 7)));
    expect(format).toBe("omnivore");
    expect(rows).toHaveLength(2);
  });

  test("files of no known format are skipped", async () => {
    const { rows } = await readFile(zipSync({ "readme.txt": strToU8("Hello"), "part_000000.csv": pocket }));
    expect(rows).toHaveLength(2);
    await expect(readFile(zipSync({ "readme.txt": strToU8("Hello") }))).rejects.toThrow(FormatError);
  });

  test("an archive that was cut off has the entries before the cut, and a problem", async () => {
    const rest = "D,https://d.example/,1700000003,,unread\n".repeat(5000);
    const zip = zipSync({
      "a.csv": pocket,
      "b.csv": [strToU8(`${new TextDecoder().decode(second)}${rest}`), { level: 0 }],
    });
    const { rows } = await readFile(zip.subarray(0, 100_000));
    expect(rows.slice(0, 3)).toMatchObject([{ title: 'One, "first"' }, { title: "Zwei" }, { title: "C" }]);
    expect(rows.filter((row) => "title" in row && row.title === "D").length).toBeGreaterThan(2000);
    expect(rows.at(-1)).toMatchObject({ problem: expect.stringContaining("cut off") });
  });

  test("a damaged archive is refused", async () => {
    const zip = zipSync({ "a.csv": strToU8(`title,url\n${"x,https://a.example/\n".repeat(9000)}`) });
    zip.fill(0xff, 60, 200);
    await expect(readFile(zip)).rejects.toThrow("damaged");
  });

  test("an archive that grows to more than 100 times its size (a zip bomb) is not unpacked", async () => {
    const bomb = zipSync({ "a.txt": new Uint8Array(40_000_000) });
    await expect(readFile(bomb)).rejects.toThrow("more than 100 times its size");
    const behindPocket = await readFile(zipSync({ "a.csv": pocket, "b.csv": new Uint8Array(40_000_000) }));
    expect(behindPocket.rows).toEqual([
      expect.objectContaining({ title: 'One, "first"' }),
      expect.objectContaining({ title: "Zwei" }),
      expect.objectContaining({ problem: expect.stringContaining("100 times its size") }),
    ]);
  });
});

test("docs/import-export.md has every format", () => {
  const rows = formats.map(({ title, tags, state, timeAdded }) => `| ${title} | ${tags} | ${state} | ${timeAdded} |`);
  expect(readFileSync("docs/import-export.md", "utf8")).toContain(
    ["| file | tags | state | time added |", "| --- | --- | --- | --- |", ...rows, ""].join("\n"),
  );
});
