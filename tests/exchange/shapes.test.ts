// SPDX-License-Identifier: MIT

import { readEntries } from "@reading-list/exchange/main.ts";
import { describe, expect, test } from "vitest";
import { collect, readFile } from "./read-file.ts";

const a = "https://a.example/";
const b = "https://b.example/";

/** Files in no service's format, or not in the form of its export, and their content. */
const shapes: [name: string, file: string, rows: object[]][] = [
  [
    "a CSV without a header",
    `${a}x,Title one\n${b}y,Title two\n`,
    [{ url: `${a}x`, title: "Title one" }, { url: `${b}y` }],
  ],
  [
    "a CSV without a header whose first column is the title",
    `"One, 1",${a},2024-01-02,unread\nTwo,${b},2024-01-03,archive\n`,
    [
      { url: a, title: "One, 1", timeAdded: 1704153600, state: "unread" },
      { url: b, title: "Two", state: "read" },
    ],
  ],
  [
    "a CSV whose columns have names in another language",
    `Titel;Adresse;Notizen;Datum\nEins;${a};a, b;2024-01-02\nZwei;${b};;2024-01-03\n`,
    [
      { url: a, title: "Eins", timeAdded: 1704153600, lost: { Notizen: "a, b" } },
      { url: b, title: "Zwei" },
    ],
  ],
  ["a CSV of permalinks", `id,permalink\nx,${a}\n`, [{ url: a }]],
  [
    "linkding's HTML, with notes between marks",
    `<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><p><DT><A HREF="${a}" TAGS="x">One</A><DD>About[linkding-notes]mine[/linkding-notes]</DL>`,
    [{ url: a, tags: ["x"] }, { note: "About\n\nmine" }],
  ],
  [
    "stars of GitHub, whose `url` is an address of its API",
    JSON.stringify([{ id: 1, name: "r", html_url: a, url: b, topics: ["x"] }]),
    [{ url: a, title: "r" }],
  ],
  [
    "Feedly's saved articles",
    JSON.stringify({ items: [{ alternate: [{ href: a }], title: "One", actionTimestamp: 1600000000000 }] }),
    [{ url: a, timeAdded: 1600000000 }],
  ],
  [
    "a CSV with `sep=;`",
    `sep=;\ntitle;url;tags\nOne;${a};x,y\n`,
    [{ url: a, title: "One", tags: ["x", "y"], line: 3 }],
  ],
  [
    "Takeout with a preface",
    `My list\nSome, text\n\nTitle,Note,URL,Comment\n,,,\nOne,my note,${a},\n`,
    [{ url: a, title: "One", line: 6, lost: { "text above the columns": "My list\nSome, text" } }, { note: "my note" }],
  ],
  ["a column of URLs with commas", `url\n${a}a,1.html\n`, [{ url: `${a}a,1.html` }]],
  [
    "a list of URLs, one followed by a separator",
    `${a}\n${b}a,1.html\n${b},Title\n`,
    [{ url: a }, { url: `${b}a,1.html` }, { problem: expect.stringContaining("name the columns") }],
  ],
  [
    "a URL between blanks and line breaks",
    `url,title\n ${a} ,A\n"${b}\n",B\n`,
    [
      { url: a, title: "A" },
      { url: b, title: "B" },
    ],
  ],
  ...Object.entries({
    '"[""x"",""y z""]"': ["x", "y z"],
    "[]": [],
    "\"['x', 'y z']\"": ["x", "y z"],
    '"[{""name"":""x""},{""label"":""y""}]"': ["x", "y"],
    '"{""x"":{},""y"":{}}"': ["x", "y"],
    "x; y": ["x", "y"],
    "x|y": ["x", "y"],
    "[draft]": ["draft"],
    '"[x, y]"': ["x", "y"],
    '"x, y"': ["x", "y"],
  }).map(([cell, tags]): (typeof shapes)[number] => [
    `tags in a cell: ${cell}`,
    `url,tags\n${a},${cell}\n`,
    [{ tags }],
  ]),
  [
    "a map of objects",
    JSON.stringify({ k1: { url: a, title: "A" }, k2: { url: b } }),
    [{ url: a, title: "A" }, { url: b }],
  ],
  ["one object", JSON.stringify({ url: a, title: "A", extra: [{ id: 1 }] }), [{ url: a, title: "A" }]],
  [
    "JSON Lines",
    `${JSON.stringify({ link: a, name: "A", state: "archive", rating: 5 })}\n${JSON.stringify({ link: b })}\n{\n`,
    [{ url: a, title: "A", state: "read", lost: { rating: 5 } }, { url: b, line: 2 }, { problem: "not a JSON object" }],
  ],
  [
    "an address in an object of its own",
    JSON.stringify([{ node: { url: a }, title: "A" }]),
    [{ url: a, title: "A", tags: [] }],
  ],
  [
    "Pocket's items as an array",
    JSON.stringify({ list: [{ item_id: 1, given_url: a, status: 1 }] }),
    [{ url: a, state: "read" }],
  ],
  [
    "`TAGS` of bookmarks with other separators",
    `<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><DT><A HREF="${a}" TAGS="x;y z">A</A><DT><A HREF="${b}" TAGS='["x","y"]'>B</A></DL>`,
    [{ tags: ["x", "y z"] }, { tags: ["x", "y"] }],
  ],
  [
    "starred.json of Feedly",
    JSON.stringify({
      items: [{ title: "A", alternate: [{ href: a }], categories: [{ label: "x" }], origin: {}, published: 1.7e12 }],
    }),
    [{ url: a, tags: ["starred", "x"], timeAdded: 1_700_000_000 }],
  ],
  ["an array of URLs", JSON.stringify([a, b]), [{ url: a }, { url: b }]],
  [
    "JSON Lines that begin with a line of another kind",
    `{"version":1}\n${JSON.stringify({ url: a, favorite: { x: 1 }, state: ["y"] })}\n`,
    [{ problem: "the URL is missing" }, { url: a, tags: [], lost: { favorite: { x: 1 }, state: ["y"] } }],
  ],
  ["a CSV with a tab behind `sep=`", `sep=\t\nurl\ttitle\n${a}\tA, b\n`, [{ url: a, title: "A, b" }]],
  [
    "Org headings, and text behind bare URLs",
    `* Reading\n** DONE [[${a}][A]] :x:y:\n- ${b} Title of b\n`,
    [
      { url: a, title: "A", tags: ["x", "y"], state: "read" },
      { url: b, title: "Title of b" },
    ],
  ],
  [
    "wallabag XML with keys as attributes",
    `<?xml version="1.0"?><response><item key="0"><tags><item key="0">x</item><item key="1">y</item></tags><url>${a}</url></item></response>`,
    [{ url: a, tags: ["x", "y"] }],
  ],
  [
    "Session Buddy 4",
    JSON.stringify({
      collections: [{ title: "C", created: 1.7e12, folders: [{ title: "F", links: [{ url: a, title: "A" }] }] }],
    }),
    [{ url: a, title: "A", tags: ["C", "F"], timeAdded: 1_700_000_000 }],
  ],
  [
    "Session Buddy 3",
    JSON.stringify({
      sessions: [
        { name: "S", windows: [{ id: 1, tabs: [{ id: 2, url: a, title: "A" }, { url: "chrome://newtab/" }] }] },
      ],
    }),
    [{ url: a, title: "A", tags: ["S"] }, { problem: "not an http(s) URL" }],
  ],
  [
    "Toby",
    JSON.stringify({
      version: 3,
      lists: [
        { title: "L", cards: [{ title: "A", url: a, customTitle: "Mine", customDescription: "d" }], labels: ["l"] },
      ],
    }),
    [{ url: a, title: "Mine", tags: ["L", "l"] }, { note: "d" }],
  ],
  [
    "Tab Session Manager",
    JSON.stringify([
      { windows: { 1: { 11: { id: 11, url: a, title: "A", lastAccessed: 1 } } }, date: 1.7e12, name: "S", tag: [] },
    ]),
    [{ url: a, title: "A", tags: ["S"], timeAdded: 1_700_000_000, line: 1 }],
  ],
  [
    "wallabag XML",
    `<?xml version="1.0"?><result><entry><is_archived>1</is_archived><is_starred>1</is_starred><tags><entry><![CDATA[x & y]]></entry><entry>z</entry></tags><title><![CDATA[A <b>]]></title><url><![CDATA[${a}]]></url><created_at>2023-11-14T22:13:21+0000</created_at></entry></result>`,
    [{ url: a, title: "A <b>", tags: ["starred", "x & y", "z"], state: "read", timeAdded: 1_700_000_001 }],
  ],
  [
    "XBEL",
    `<xbel><title>Mine</title><folder><title>F</title><bookmark href="${a}" added="2023-11-14T22:13:21Z"><title>A</title><desc>d</desc></bookmark></folder></xbel>`,
    [
      { url: a, title: "A", tags: ["F"], timeAdded: 1_700_000_001 },
      { note: "d", url: a },
    ],
  ],
  [
    "OPML with addresses of pages, and of feeds",
    `<opml version="2.0"><head><title>x</title></head><body><outline text="F"><outline text="A" url="${a}"/><outline text="Feed" type="rss" xmlUrl="${b}feed" htmlUrl="${b}"/></outline></body></opml>`,
    [
      { url: a, title: "A", tags: ["F"] },
      { problem: expect.stringContaining("feed"), isFeed: true },
    ],
  ],
  [
    "Evernote",
    `<?xml version="1.0"?><en-export><note><title>A</title><created>20231114T221321Z</created><tag>x</tag><tag>y</tag><note-attributes><source-url>${a}</source-url></note-attributes><resource><resource-attributes><source-url>${b}pic.png</source-url></resource-attributes></resource></note><note><title>without a source</title></note></en-export>`,
    [{ url: a, title: "A", tags: ["x", "y"], timeAdded: 1_700_000_001 }],
  ],
  [
    "Instapaper's HTML, whose headings are folders",
    `<title>Instapaper: Export</title><h1>Unread</h1><ol><li><a href="${a}">A</a></li></ol><h1>Recipes</h1><ol><li><a href="${b}">B</a></li></ol>`,
    [
      { url: a, tags: [] },
      { url: b, tags: ["Recipes"] },
    ],
  ],
  [
    "markup in titles and descriptions of HTML",
    `<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><DT><A HREF="${a}"><rubyXML/> <b>and</b> <script> tags</A><DD>see <a href="https://other.example/">this</a> too<DT><A HREF="${b}" LAST_CHARSET="UTF-8">B</A></DL>`,
    [{ url: a, title: "<rubyXML/> and <script> tags" }, { note: "see this too" }, { url: b, title: "B" }],
  ],
  [
    "a `time` after a link",
    `<a href="${a}">A</a> <time datetime="2023-11-14T22:13:21Z">yesterday</time><a href=" ${b}\n">B</a> <time>2023-11-14</time>`,
    [
      { url: a, timeAdded: 1_700_000_001 },
      { url: b, timeAdded: 1_699_920_000 },
    ],
  ],
  [
    "an object, or another shape, where text is expected",
    JSON.stringify([{ url: a, title: { en: "A" }, tags: true, note: { x: 1 } }]),
    [{ lost: { "title in an unknown format": { en: "A" }, "tags in an unknown format": true, note: { x: 1 } } }],
  ],
];

test.each(shapes)("%s", async (_, file, rows) => {
  expect((await readFile(file)).rows).toEqual(rows.map((row) => expect.objectContaining(row)));
});

test("sites of feeds are pages if the reader asks for them", async () => {
  const file = `<opml><body><outline text="Feed" type="rss" xmlUrl="${b}feed" htmlUrl="${b}"/></body></opml>`;
  const { rows } = await collect(await readEntries(new TextEncoder().encode(file), { withFeeds: true }));
  expect(rows).toMatchObject([{ url: b, title: "Feed" }]);
});

test.each([
  ["4/7/2024 10:15 AM", "2024-04-07T10:15:00Z"],
  ["4/7/2024 12:15 AM", "2024-04-07T00:15:00Z"],
  ["17/12/2023 09:05", "2023-12-17T09:05:00Z"],
  ["04/07/2024 09:05:06", "2024-07-04T09:05:06Z"],
  ["10/Oct/2000:13:55:36 -0700", "2000-10-10T20:55:36Z"],
  ["Tue, 14 Nov 2023 22:13:21 GMT", "2023-11-14T22:13:21Z"],
  ["November 14, 2023 at 10:13 PM", "2023-11-14T22:13:00Z"],
  ["14.11.2023 22:13", "2023-11-14T22:13:00Z"],
  ["20231114T221321Z", "2023-11-14T22:13:21Z"],
])("the time %s is read", async (time, iso) => {
  const { rows } = await readFile(`url\ttime\n${a}\t${time}\n`);
  expect(rows).toMatchObject([{ timeAdded: Date.parse(iso) / 1000 }]);
});

test.each(["31/02/2024 10:00", "2024-13-01", "7/4", "25:00"])("the time %s is named as lost", async (time) => {
  const { rows } = await readFile(`url\ttime\n${a}\t${time}\n`);
  expect(rows).toMatchObject([{ lost: { "time in an unknown format": time } }]);
});

test.each([
  ["{}", "karakeep"],
  ['{"items":[{"title":"A"}]}', "json"],
  ["<p>text</p>", "netscape"],
  [`<?xml version="1.0"?><rss><channel><item><link>${a}</link></item></channel></rss>`, "xml"],
])("a file of %s in which no format finds a page is refused with the formats that were tried", async (file, tried) => {
  await expect(readFile(file)).rejects.toThrow(new RegExp(`tried .*\\b${tried}\\b`));
});

describe("a binary property list", () => {
  /** Objects of Python's plistlib, with 1-byte offsets: {"URLString": "https://a.example/", "Title": "Ä"}. */
  const file = () => {
    const objects = [
      [0xd2, 1, 3, 2, 4],
      [0x59, ...Buffer.from("URLString")],
      [0x5f, 0x10, a.length, ...Buffer.from(a)],
      [0x55, ...Buffer.from("Title")],
      [0x61, 0x00, 0xc4],
    ];
    const offsets = objects.map((_, index) => 8 + objects.slice(0, index).flat().length);
    const table = 8 + objects.flat().length;
    const trailer = [0, 0, 0, 0, 0, 0, 1, 1, ...[objects.length, 0, table].flatMap((n) => [0, 0, 0, 0, 0, 0, 0, n])];
    return Uint8Array.from([...Buffer.from("bplist00"), ...objects.flat(), ...offsets, ...trailer]);
  };

  test("is read", async () => {
    expect((await readFile(file())).rows).toMatchObject([{ url: a, title: "Ä" }]);
  });

  test("that is damaged is a problem, whatever the damage", async () => {
    const whole = file();
    for (let place = 8; place < whole.length; place++) {
      for (const value of [0, 0x0f, 0xaf, 0xdf, 0xff]) {
        const { rows } = await readFile(whole.with(place, value));
        for (const row of rows) expect("problem" in row ? row.problem : row.url).toEqual(expect.any(String));
      }
    }
  });
});

describe("files that are made to take long", () => {
  test("XML whose entities refer to files or to each other reads neither", async () => {
    const entities = Array.from({ length: 20 }, (_, n) => `<!ENTITY e${n + 1} "${`&e${n};`.repeat(10)}">`).join("");
    const file = `<?xml version="1.0"?><!DOCTYPE xbel [<!ENTITY e0 SYSTEM "file:///etc/passwd">${entities}]><xbel><bookmark href="${a}"><title>&e20;</title></bookmark></xbel>`;
    expect((await readFile(file)).rows).toMatchObject([{ url: a, title: "&e20;" }]);
  });

  test.each([
    ["elements of XML", `<xbel>${"<folder>".repeat(200_000)}`],
    ["arrays of a property list", `<plist version="1.0">${"<array>".repeat(200_000)}`],
    ["names of JSON", `${'{"a":'.repeat(200_000)}1`],
    ["brackets of Markdown", `- [a](${a})\n- ${"[".repeat(200_000)}\n`],
    ["parentheses of Markdown", `- [a](${a})\n- [a](https://${"(".repeat(200_000)}\n`],
  ])("200,000 %s are read or refused", async (_, file) => {
    const outcome = await readFile(file).then(({ rows }) => rows, String);
    expect(outcome.length).toBeGreaterThan(0);
  });
});
