// SPDX-License-Identifier: MIT

import { readFileSync } from "node:fs";
import { fieldNames } from "@reading-list/exchange/fields.ts";
import { formats } from "@reading-list/exchange/formats.ts";
import { FormatError, readEntries } from "@reading-list/exchange/main.ts";
import fc from "fast-check";
import { strToU8, zipSync } from "fflate";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { collect, inChunks, readFile } from "./read-file.ts";
import { samples } from "./samples.ts";

const all = Object.entries(samples).map(([name, sample]) => ({ name, ...sample }));
const bytesOf = (text: string) => new TextEncoder().encode(text);

test("every format has a sample", () => {
  expect(Object.keys(samples).sort()).toEqual(formats.map(({ name }) => name).sort());
});

test.each(all)(
  "$name ($source): the format is detected from the content; entries have URL, title, tags, state, time, line and lost values",
  async ({ name, file, entries }) => {
    expect(await readFile(file)).toEqual({
      format: name,
      rows: entries.map((entry) => expect.objectContaining(entry)),
    });
  },
);

/** One format for each of the readers. */
const readers = all.filter(({ name }) => ["json-lines", "karakeep", "netscape", "instapaper", "urls"].includes(name));

describe.each(readers)("$name", ({ name, file }) => {
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
    ["JSON Lines", samples["json-lines"]?.file.split('{"count')[0], 4, "cut off"],
    ["a JSON file", samples.karakeep?.file.slice(0, 300), 3, "ends within"],
    ["a CSV file", samples["pocket-csv"]?.file.slice(0, -9), 3, "ends within"],
    ["a quotation in CSV", samples.instapaper?.file.slice(0, 150), 3, "within a quotation"],
    ["a tag of HTML", samples.netscape?.file.slice(0, -50), 17, "ends within"],
    ["a link of HTML", samples.netscape?.file.slice(0, -25), 17, "ends within"],
  ])(
    "%s that was cut off has a problem on its last line, and all entries before it",
    async (_, file = "", line, problem) => {
      const { rows } = await readFile(file);
      expect(rows.at(-1)).toEqual({ line, problem: expect.stringContaining(problem) });
      expect(rows[0]).toMatchObject({ title: 'One, "first"' });
    },
  );

  test("an address that is not a web URL is a problem whose text does not repeat it", async () => {
    const file = "title,url\nA,https://a.example/\nB,javascript:secret\nC,\nD,https://d.example/\n";
    const { rows } = await readFile(file);
    expect(rows.filter((row) => "problem" in row)).toEqual([
      { line: 3, problem: "not an http(s) URL" },
      { line: 4, problem: "the URL is missing" },
    ]);
    expect(rows).toHaveLength(4);
  });

  test.each([
    ["in one line", `"B,https://b.example/\n`, [3]],
    ["before a field with quotation marks", `"B,https://b.example/\n"C, c",https://c.example/\n`, [3]],
    ["before lines that are no records", `"B,https://b.example/\nx\ny\n`, [3, 4, 5]],
  ])("a quotation mark that is missing %s costs the lines up to the next record", async (_, lines, lost) => {
    const { rows } = await readFile(`title,url\nA,https://a.example/\n${lines}D,https://d.example/\n`);
    const problems = lost.map((line) => ({ line, problem: "a closing quotation mark is missing" }));
    const next = lines.includes("C") ? [expect.objectContaining({ title: "C, c", line: 4 })] : [];
    expect(rows).toEqual([
      expect.objectContaining({ title: "A" }),
      ...problems,
      ...next,
      expect.objectContaining({ title: "D", line: 2 + lines.split("\n").length }),
    ]);
  });

  test("whatever the damage, every row is an entry, a highlight or a problem, and no other error is thrown", async () => {
    const damage = fc.tuple(
      fc.nat(),
      fc.nat({ max: 40 }),
      fc.constantFrom('"', ",", "\n", "{", "]", "<", "\\", "<DL>", "\0", ""),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...all),
        fc.array(damage, { minLength: 1, maxLength: 5 }),
        async ({ file }, list) => {
          let damaged = file;
          for (const [place, length, text] of list) {
            const at = place % damaged.length;
            damaged = `${damaged.slice(0, at)}${text}${damaged.slice(at + length)}x`;
          }
          const rows = await readFile(damaged).then(
            (reading) => reading.rows,
            (error) => {
              expect(error).toBeInstanceOf(FormatError);
              return [];
            },
          );
          for (const row of rows)
            expect("problem" in row ? row.problem : (row.url ?? row.title)).toEqual(expect.any(String));
        },
      ),
      { numRuns: 300 },
    );
  });

  test("quotation marks that do not enclose a field are text", async () => {
    const file = 'title,url\n"5" disk,https://a.example/\nSay "hi",https://b.example/\n"x" y,"https://c.example/"\n';
    expect((await readFile(file)).rows).toMatchObject([
      { title: '"5" disk' },
      { title: 'Say "hi"' },
      { title: '"x" y' },
    ]);
  });

  test.each([
    ["CSV", "title,url\nA,https://a.example/\n", ",https://b.example/\nC,https://c.example/\n"],
    ["a list of URLs", "https://a.example/\n", "\nhttps://c.example/\n"],
    ["JSON Lines", '{"url":"https://a.example/","state":"read"}\n', '\n{"url":"https://c.example/","state":"read"}\n'],
  ])(
    "of %s, a line of more than 1,000,000 characters is named as that, and the next one is read",
    async (_, begin, end) => {
      const { rows } = await readFile(`${begin}${"x".repeat(2_000_000)}${end}`);
      expect(rows.filter((row) => "url" in row).map((row) => "url" in row && row.url)).toEqual([
        "https://a.example/",
        "https://c.example/",
      ]);
      expect(rows).toContainEqual({
        line: begin.split("\n").length,
        problem: expect.stringContaining("1,000,000 characters"),
      });
    },
  );

  test("folders in 20,000 levels are read in linear time, with the outermost 50 as tags", async () => {
    const levels = Array.from({ length: 20_000 }, (_, n) => `<H3>${n}</H3><DL><A HREF="https://a.example/${n}">A</A>`);
    const { rows } = await readFile(`<!DOCTYPE NETSCAPE-Bookmark-file-1>${levels.join("\n")}`);
    expect(rows).toHaveLength(20_000);
    expect(rows.at(-1)).toMatchObject({ tags: Array.from({ length: 50 }, (_, n) => `${n}`) });
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
    const title = "😀".repeat(1001);
    expect(await entryOf({ title })).toMatchObject({ title: title.slice(2), lost: { "rest of the title": title } });
  });

  test("as many tags are kept as fit into 1,000 characters, each once", async () => {
    const tags = Array.from({ length: 200 }, (_, n) => `tag${100 + n}`);
    expect(await entryOf({ tags: ["tag100", ...tags] })).toMatchObject({
      tags: tags.slice(0, 143),
      lost: { "rest of the tags": tags.join() },
    });
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

  test("a time in an unknown format is lost", async () => {
    expect(await entryOf({ time_added: "yesterday" })).toMatchObject({
      lost: { "time in an unknown format": "yesterday" },
    });
  });

  test("a title that equals the URL is not a title", async () => {
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
    ["2023/11/14 22:13:21 +0000", 1700000001],
    ["2023-11-14 22:13 UTC", 1699999980],
    ["13344473601000000", 1700000001],
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
    expect((await readEntries(zip)).skippedFiles).toEqual(["annotations/part_000000.json"]);
    expect(await readFile(zip)).toEqual({
      format: "pocket-csv",
      rows: [
        ...(await readFile(samples["pocket-csv"]?.file ?? "")).rows.map((row) => ({ ...row, file: "part_000000.csv" })),
        expect.objectContaining({ url: "https://c.example/", file: "part_000001.csv", line: 2 }),
      ],
    });
  });

  test("of an Omnivore zip, highlights are read with their notes, in any order of the files, articles are not", async () => {
    const zip = zipSync({
      "content/one.html": strToU8('<a href="https://other.example/">link</a>'),
      "highlights/two.md": strToU8(
        "> A quotation\n> of two paragraphs \n\n#label\n\nmy note\n\nmore of it\n\n> another ",
      ),
      "highlights/unknown.md": strToU8("> text"),
      "metadata_0_to_20.json": strToU8(samples.omnivore?.file ?? ""),
      "highlights/one.md": strToU8("a note of the page\n\n\n\n> text "),
    });
    const reading = await readEntries(inChunks(zip, 7));
    const { format, rows } = await collect(reading);
    expect(format).toBe("omnivore");
    const file = "highlights/two.md";
    expect(rows.slice(2)).toMatchObject([
      {
        url: "https://two.example/ü",
        quote: "A quotation\nof two paragraphs",
        note: "#label\n\nmy note\n\nmore of it",
        file,
        line: 1,
      },
      { url: "https://two.example/ü", title: "Zwei", quote: "another", note: "", file, line: 10 },
      { url: "https://one.example/", quote: "", note: "a note of the page", line: 1 },
      { url: "https://one.example/", quote: "text", line: 5 },
    ]);
    expect(reading.skippedFiles).toEqual(["content/one.html", "highlights/unknown.md"]);
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

describe("encodings", () => {
  const shiftJis = Uint8Array.of(0x93, 0xfa, 0x96, 0x7b);
  const html = (charset: string, title: Uint8Array) =>
    Buffer.concat([
      Buffer.from(
        `<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<META CONTENT="text/html; charset=${charset}">\n<A HREF="https://a.example/">`,
      ),
      title,
      Buffer.from("</A>"),
    ]);

  test.each([
    ["its META names it", html("Shift_JIS", shiftJis), "日本"],
    ["its META names it, but the file is UTF-8", html("Shift_JIS", Buffer.from("日本")), "日本"],
    ["its META names none that exists", html("x-none", Buffer.from("Grün", "latin1")), "Grün"],
    ["it is UTF-16 without a byte order mark", Buffer.from("title,url\n日本,https://a.example/\n", "utf16le"), "日本"],
  ])("the encoding of a file is right if %s", async (_, bytes, title) => {
    expect((await readFile(Uint8Array.from(bytes))).rows).toMatchObject([{ title }]);
  });

  test("lines may end with CR", async () => {
    const file = "title,url\rA,https://a.example/\rB,https://b.example/\r";
    expect((await readFile(file)).rows).toMatchObject([
      { title: "A", line: 2 },
      { title: "B", line: 3 },
    ]);
  });
});

test("items of feeds in a file of Readwise Reader are rejected: they were not saved", async () => {
  const header = "Title,URL,ID,Document tags,Saved date,Reading progress,Location,Seen";
  const { rows } = await readFile(`${header}\nA,https://a.example/,x,[],2023-02-06 04:33:50+00:00,0,feed,False\n`);
  expect(rows).toEqual([{ line: 2, problem: "an item of a feed that was not saved" }]);
});

test("columns with other names are named as lost, with their values", async () => {
  const { rows } = await readFile("url;Titel;Rating\nhttps://a.example/;Eins;5\nhttps://b.example/;;\n");
  expect(rows.map((row) => "lost" in row && row.lost)).toEqual([{ Titel: "Eins", Rating: "5" }, false]);
});

test("an unknown format is refused in a line that says what to do", async () => {
  await expect(readFile("# A list\n- A\n")).rejects.toThrow(/^unknown format; export HTML or CSV from the service$/);
});

test("docs/import-export.md has every format, and every name of a field", () => {
  const docs = readFileSync("docs/import-export.md", "utf8");
  expect(docs).toContain(
    formats.map(({ title, notes }) => (notes ? `- ${title}: ${notes}\n` : `- ${title}\n`)).join(""),
  );
  for (const names of Object.values(fieldNames)) expect(docs).toContain(names.map((name) => `\`${name}\``).join(", "));
});

test.each([[[{ label: "a" }, { tag: "b c" }]], [[{ title: "a" }, { name: "b c" }]], [{ a: { tag: "a" }, "b c": {} }]])(
  "tags of JSON may be objects or a map: %j",
  async (tags) => {
    const { rows } = await readFile(JSON.stringify([{ url: "https://a.example/", title: "A", tags }]));
    expect(rows).toMatchObject([{ tags: ["a", "b c"] }]);
  },
);

test("links below Instapaper's heading `Archive` are read", async () => {
  const file = '<h1>Unread</h1><a href="https://a.example/">A</a><h1>Archive</h1><a href="https://b.example/">B</a>';
  expect((await readFile(file)).rows).toMatchObject([{ state: "unread" }, { state: "read" }]);
});
