// SPDX-License-Identifier: MIT

import { createHash } from "node:crypto";
import type { Entry, HighlightEntry, Problem } from "@reading-list/exchange/main.ts";
import { expect } from "vitest";

/** A file of a format, and its entries. The files were written for these tests after the descriptions named. */
interface Sample {
  /** A public description of the format, or a file of it. */
  source: string;
  file: string;
  entries: Partial<Entry | HighlightEntry | Problem>[];
}

const jsonLines = `{"url":"https://one.example/","title":"One, \\"first\\"","tags":["a","b c"],"state":"read","time_added":1700000001,"time_updated":1700000005,"item_id":"7"}
{"id":"m-1","item_id":"7","url":"https://one.example/","quote":" a quotation","prefix":"before","suffix":"after","position":12,"color":"blue","note":"my note","time_created":1700000003,"time_updated":1700000004}
{"url":"https://two.example/ü","title":"Zwei","tags":[],"state":"unread","time_added":1700000002,"time_updated":1700000006}
`;
const checksum = createHash("sha256").update(jsonLines).digest("hex");

const one = { url: "https://one.example/", title: 'One, "first"', tags: ["a", "b c"], timeAdded: 1700000001 };
const two = { url: "https://two.example/ü", title: "Zwei", tags: [], timeAdded: 1700000002 };
const read = { state: "read" } as const;
const unread = { state: "unread" } as const;

/** A highlight without anything but its page and quotation. */
const marked = {
  prefix: "",
  suffix: "",
  position: undefined,
  color: "yellow",
  note: "",
  timeCreated: undefined,
} as const;
const ofOne = { url: one.url, title: one.title };
const ofTwo = { url: two.url, title: two.title };

/** A note on a page as a whole. */
const noteOn = (page: object, note: string, timeCreated: number | undefined = 1700000001) => ({
  ...marked,
  ...page,
  quote: "",
  note,
  timeCreated,
});

export const samples: Record<string, Sample> = {
  "json-lines": {
    source: "packages/exchange/json-lines.ts",
    file: `${jsonLines}{"count":2,"highlights":1,"sha256":"${checksum}"}\n`,
    entries: [
      { ...one, ...read, timeUpdated: 1700000005, line: 1 },
      {
        id: "m-1",
        url: one.url,
        quote: " a quotation",
        prefix: "before",
        suffix: "after",
        position: 12,
        color: "blue",
        note: "my note",
        timeCreated: 1700000003,
        line: 2,
      },
      { ...two, ...unread, timeUpdated: 1700000006, line: 3 },
    ],
  },
  wallabag: {
    source: "https://github.com/wallabag/wallabag/blob/master/tests/fixtures/Import/wallabag-v2-read.json",
    file: `[
  {"is_archived": 1, "is_starred": 0, "tags": ["a", "b c"], "id": 1, "title": "One, \\"first\\"",
   "url": "https://one.example/", "content": "<p>{[\\"not a bracket\\\\\\"]}, 5\\" {</p>", "created_at": "2023-11-14T22:13:21+0000",
   "annotations": [{"annotator_schema_version": "v1.0", "id": 4, "text": "my note", "created_at": "2023-11-14T22:13:23+0000", "updated_at": "2023-11-14T22:13:23+0000", "quote": "a quotation", "ranges": [{"start": "/p[1]", "startOffset": "0", "end": "/p[1]", "endOffset": "11"}]}]},
  {"is_archived": 0, "is_starred": 1, "tags": [], "id": 2, "title": "Zwei",
   "url": "https://two.example/\\u00fc", "content": "", "created_at": "2023-11-15T00:13:22+02:00"}
]`,
    entries: [
      { ...one, ...read, lost: { content: expect.stringContaining("not a bracket") }, line: 2 },
      { ...marked, ...ofOne, quote: "a quotation", note: "my note", timeCreated: 1700000003, line: 2 },
      { ...two, ...unread, tags: ["starred"], line: 5 },
    ],
  },
  "wallabag-1": {
    source: "https://github.com/wallabag/wallabag/blob/master/tests/fixtures/Import/wallabag-v1.json",
    file: `[
  {"0": "1", "1": "One", "2": "https://one.example/", "id": "1", "title": "One, \\"first\\"", "url": "https://one.example/",
   "is_read": "1", "is_fav": "1", "content": "<p>text</p>", "user_id": "1", "tags": "a,b c"},
  {"0": "2", "id": "2", "title": "Zwei", "url": "https://two.example/ü", "is_read": "0", "is_fav": "0", "content": "", "tags": ""}
]`,
    entries: [
      {
        ...one,
        ...read,
        tags: ["starred", "a", "b c"],
        timeAdded: undefined,
        lost: { content: "<p>text</p>" },
        line: 2,
      },
      { ...two, ...unread, timeAdded: undefined, line: 4 },
    ],
  },
  goodlinks: {
    source: "https://goodlinks.app/ (Export in its settings)",
    file: `[{"url":"https://one.example/","title":"One, \\"first\\"","summary":"s","tags":["a","b c"],"starred":false,"addedAt":1700000001.5,"modifiedAt":1700000005,"readAt":1700000009},
{"url":"https://two.example/ü","title":"Zwei","tags":[],"starred":true,"addedAt":1700000002,"readAt":null}]`,
    entries: [
      { ...one, ...read, lost: { summary: "s" }, line: 1 },
      { ...two, ...unread, tags: ["starred"], line: 2 },
    ],
  },
  pinboard: {
    source: "https://github.com/wallabag/wallabag/blob/master/tests/fixtures/Import/pinboard_export",
    file: `[{"href":"https://one.example/","description":"One, \\"first\\"","extended":"my note","meta":"x","hash":"x","time":"2023-11-14T22:13:21Z","shared":"no","toread":"no","tags":"a b"},
{"href":"https://two.example/ü","description":"Zwei","extended":"","meta":"x","hash":"x","time":"2023-11-14T22:13:22Z","shared":"yes","toread":"yes","tags":""}]`,
    entries: [
      { ...one, ...read, tags: ["a", "b"], line: 1 },
      { ...noteOn(ofOne, "my note"), line: 1 },
      { ...two, ...unread, line: 2 },
    ],
  },
  readability: {
    source: "https://github.com/wallabag/wallabag/blob/master/tests/fixtures/Import/readability.json",
    file: `{"bookmarks": [
  {"article__excerpt": "e", "favorite": true, "date_archived": "2023-11-15T00:00:00", "article__url": "https://one.example/",
   "date_added": "2023-11-14T22:13:21", "article__title": "One, \\"first\\"", "archive": true},
  {"favorite": 0, "article__url": "https://two.example/ü", "date_added": "2023-11-14T23:13:22+0100", "article__title": "Zwei", "archive": 0}
], "recommendations": []}`,
    entries: [
      { ...one, ...read, tags: ["starred"], lost: { article__excerpt: "e" }, line: 2 },
      { ...two, ...unread, line: 4 },
    ],
  },
  linkwarden: {
    source: "https://github.com/linkwarden/linkwarden/blob/main/apps/web/lib/api/controllers/migration/exportData.ts",
    file: `{"name":"Ann","collections":[
{"id":1,"name":"a","parentId":null,"links":[]},
{"id":2,"name":"b c","parentId":1,"links":[{"id":7,"name":"One, \\"first\\"","url":"https://one.example/","description":"d","tags":[{"id":1,"name":"x"}],"createdAt":"2023-11-14T22:13:21.000Z"}]},
{"id":3,"name":"Unorganized","parentId":null,"links":[{"id":8,"name":"Zwei","url":"https://two.example/ü","tags":[],"createdAt":"2023-11-14T22:13:22.000Z"}]}],
"pinnedLinks":[{"id":8,"name":"Zwei","url":"https://two.example/ü","createdAt":"2023-11-14T22:13:22.000Z"}]}`,
    entries: [
      { ...one, ...unread, tags: ["a", "b c", "x"], line: 3 },
      { ...noteOn(ofOne, "d"), line: 3 },
      { ...two, ...unread, line: 4 },
      { ...two, ...unread, tags: ["starred"], line: 5 },
    ],
  },
  firefox: {
    source: "https://github.com/wallabag/wallabag/blob/master/tests/fixtures/Import/firefox-bookmarks.json",
    file: `{"guid":"root________","title":"","type":"text/x-moz-place-container","root":"placesRoot","children":[
{"guid":"toolbar_____","title":"Toolbar","type":"text/x-moz-place-container","root":"toolbarFolder","children":[
 {"title":"a","type":"text/x-moz-place-container","children":[
  {"title":"One, \\"first\\"","dateAdded":1700000001000000,"tags":"b c","keyword":"k","type":"text/x-moz-place","uri":"https://one.example/"},
  {"title":"","type":"text/x-moz-place-separator"}]}]},
{"guid":"mobile______","title":"Mobile","type":"text/x-moz-place-container","root":"mobileFolder"},
{"guid":"unfiled_____","title":"Other","type":"text/x-moz-place-container","root":"unfiledBookmarksFolder","children":[
  {"title":"Zwei","dateAdded":1700000002000000,"type":"text/x-moz-place","uri":"https://two.example/ü"}]}]}`,
    entries: [
      { ...one, ...unread, lost: { keyword: "k" }, line: 2 },
      { ...two, ...unread, line: 7 },
    ],
  },
  chrome: {
    source: "https://github.com/wallabag/wallabag/blob/master/tests/fixtures/Import/chrome-bookmarks",
    file: `{"checksum":"x","roots":{"bookmark_bar":{"children":[
{"children":[{"date_added":"13344473601000000","id":"6","name":"One, \\"first\\"","type":"url","url":"https://one.example/"}],
 "date_added":"13344473600000000","id":"5","name":"a","type":"folder"}],"id":"1","name":"Bookmarks bar","type":"folder"},
"other":{"children":[
{"date_added":"13344473602000000","id":"7","name":"Zwei","type":"url","url":"https://two.example/ü"}],"id":"2","name":"Other","type":"folder"}},"version":1}`,
    entries: [
      { ...one, ...unread, tags: ["a"], line: 2 },
      { ...two, ...unread, line: 5 },
    ],
  },
  json: {
    source:
      "https://github.com/wallabag/wallabag/blob/master/tests/fixtures/Import/delicious_export.2021.02.06_21.10.json",
    file: `[{"title":"One, \\"first\\"","tags":["a","b c"],"url":"https://one.example/","description":"d","created":"1700000001","others":9,"owner":"ann","private":"0"},
{"title":"Zwei","tags":[""],"url":"https://two.example/ü","description":"","created":"1700000002","others":84,"owner":"ann","private":"0"}]`,
    entries: [
      { ...one, ...unread, line: 1 },
      { ...noteOn(ofOne, "d"), line: 1 },
      { ...two, ...unread, line: 2 },
    ],
  },
  readeck: {
    source: "https://pypi.org/project/readeck/ (model of a bookmark in the answers of Readeck's API)",
    file: `[{"id":"x1","href":"https://readeck.example/api/bookmarks/x1","created":"2023-11-14T22:13:21.5Z","url":"https://one.example/","title":"One, \\"first\\"","labels":["a","b c"],"is_archived":true,"is_deleted":false,"annotations":[{"id":"a1","start_selector":"p[1]","start_offset":0,"end_selector":"p[1]","end_offset":11,"created":"2023-11-14T22:13:23Z","text":"a quotation","color":"green","note":"my note"}]},
{"id":"x2","href":"https://readeck.example/api/bookmarks/x2","created":"2023-11-14T22:13:22Z","url":"https://two.example/ü","title":"Zwei","labels":[],"is_archived":false,"is_deleted":false}]`,
    entries: [
      { ...one, ...read, line: 1 },
      { ...marked, ...ofOne, quote: "a quotation", note: "my note", color: "green", timeCreated: 1700000003, line: 1 },
      { ...two, ...unread, line: 2 },
    ],
  },
  "readeck-export": {
    source: "https://codeberg.org/readeck/readeck: internal/portability",
    file: `{"ID":1,"UID":"bK1","UserID":1,"Created":"2023-11-14T22:13:21Z","Updated":"2023-11-15T08:00:00Z","State":0,"URL":"https://one.example/","InitialURL":"https://one.example/?utm","Title":"One, \\"first\\"","Domain":"one.example","Site":"one.example","SiteName":"One","Published":null,"Authors":["Ann"],"Lang":"en","TextDirection":"ltr","DocumentType":"article","Description":"","Text":"All of the text","WordCount":4,"Duration":0,"Embed":"","FilePath":"bK/bK1","Files":{"article":{"name":"index.html","type":"text/html"}},"Errors":null,"Labels":["a","b c"],"ReadProgress":40,"ReadAnchor":"","IsArchived":true,"IsMarked":false,"Annotations":[{"id":"n1","start_selector":"p","start_offset":0,"end_selector":"p","end_offset":11,"created":"2023-11-14T22:13:23Z","text":"a quotation","color":"blue","note":"my note"}],"Links":null}\n`,
    entries: [
      { ...one, ...read, progress: { percent: 40, anchor: "", time: 1700035200 }, line: 1 },
      {
        ...ofOne,
        ...marked,
        quote: "a quotation",
        color: "blue",
        note: "my note",
        timeCreated: 1700000003,
        line: 1,
      },
    ],
  },
  "readeck-annotations": {
    source: "https://codeberg.org/readeck/readeck (GET /api/bookmarks/annotations)",
    file: `[{"id":"a1","href":"https://readeck.example/api/bookmarks/x1/annotations/a1","text":"a quotation","created":"2023-11-14T22:13:21Z","color":"red","note":"my note","bookmark_id":"x1","bookmark_href":"h","bookmark_url":"https://one.example/","bookmark_title":"One, \\"first\\"","bookmark_site_name":"s"},
{"id":"a2","href":"h","text":"another","created":"2023-11-14T22:13:22Z","color":"none","note":"","bookmark_id":"x1","bookmark_href":"h","bookmark_url":"https://one.example/","bookmark_title":"One, \\"first\\"","bookmark_site_name":"s"}]`,
    entries: [
      { ...one, ...read, tags: [], line: 1 },
      { ...marked, ...ofOne, quote: "a quotation", note: "my note", color: "red", timeCreated: 1700000001, line: 1 },
      { ...marked, ...ofOne, quote: "another", timeCreated: 1700000002, line: 2 },
    ],
  },
  readwise: {
    source: "https://docs.readwise.io/readwise/docs/importing-highlights/csv",
    file: `Highlight,Book Title,Book Author,Amazon Book ID,Note,Color,Tags,Location Type,Location,Highlighted at,Document tags
"a ""quotation""
of two lines","One, ""first""",Ann,,my note,pink,"x, y",order,3,2023-11-14 22:13:23+00:00,
another,Zwei,,,,,,page,4,,
`,
    entries: [
      {
        ...marked,
        ...ofOne,
        url: undefined,
        quote: 'a "quotation"\nof two lines',
        note: "my note",
        color: "red",
        timeCreated: 1700000003,
        lost: { tags: "x, y" },
        line: 2,
      },
      { ...marked, ...ofTwo, url: undefined, quote: "another", line: 4 },
    ],
  },
  omnivore: {
    source: "https://docs.omnivore.app/using/exporting.html",
    file: `[
  {"id": "o1", "slug": "one", "title": "One, \\"first\\"", "url": "https://one.example/", "state": "Archived",
   "labels": ["a", {"name": "b c"}], "savedAt": "2023-11-14T22:13:21.000Z"},
  {"id": "o2", "slug": "two", "title": "Zwei", "url": "https://two.example/ü", "state": "Active", "labels": [],
   "savedAt": "2023-11-14T22:13:22.000Z"}
]`,
    entries: [
      { ...one, ...read, line: 2 },
      { ...two, ...unread, line: 4 },
    ],
  },
  "single-file": {
    source: "https://github.com/gildas-lormeau/SingleFile",
    file: `<!DOCTYPE html> <html lang=en><!--
 Page saved with SingleFile 
 url: https://one.example/ 
 saved date: Tue Nov 14 2023 23:13:21 GMT+0100 (Central European Standard Time)
--><meta charset=utf-8><title>One, &amp; "first"</title><body><p>Text</p>`,
    entries: [{ url: one.url, title: 'One, & "first"', tags: [], ...unread, timeAdded: 1700000001, line: 1 }],
  },
  karakeep: {
    source: "https://github.com/karakeep-app/karakeep/blob/main/packages/shared/import-export/exporters.ts",
    file: `{"bookmarks":[
{"createdAt":1700000001,"title":"One, \\"first\\"","tags":["a","b c"],"lists":["l1"],"content":{"type":"link","url":"https://one.example/"},"note":null,"archived":true},
{"createdAt":1700000002,"title":"Zwei","tags":[],"content":{"type":"link","url":"https://two.example/ü"},"note":"{","archived":false}],
"lists":[{"id":"l1","name":"Later","icon":"x","type":"manual"}]}`,
    entries: [
      { ...one, ...read, line: 2 },
      { ...two, ...unread, line: 3 },
      { ...noteOn(ofTwo, "{", 1700000002), line: 3 },
    ],
  },
  linkding: {
    source: "https://linkding.link/api/",
    file: `{"count":2,"next":null,"previous":null,"results":[
{"id":1,"url":"https://one.example/","title":"One, \\"first\\"","is_archived":false,"unread":false,"shared":false,"tag_names":["a","b c"],"date_added":"2023-11-14T22:13:21.123456Z"},
{"id":2,"url":"https://two.example/ü","title":"Zwei","is_archived":false,"unread":true,"shared":false,"tag_names":[],"date_added":"2023-11-14T22:13:22Z"}]}`,
    entries: [
      { ...one, ...read, line: 2 },
      { ...two, ...unread, line: 3 },
    ],
  },
  "pocket-html": {
    source: "https://github.com/streetwriters/notesnook-importer/issues/185",
    file: `<!DOCTYPE html>
<html><head><meta http-equiv="Content-Type" content="text/html; charset=UTF-8" /><title>Pocket Export</title></head>
<body><h1>Unread</h1>
<ul><li><a href="https://two.example/ü" time_added="1700000002" tags="">Zwei</a></li></ul>
<h1>Read Archive</h1>
<ul><li><a href="https://one.example/" time_added="1700000001" tags="a,b c">One, &quot;first&quot;</a></li></ul></body></html>`,
    entries: [
      { ...two, ...unread, line: 4 },
      { ...one, ...read, line: 6 },
    ],
  },
  netscape: {
    source:
      "https://learn.microsoft.com/en-us/previous-versions/windows/internet-explorer/ie-developer/platform-apis/aa753582(v=vs.85); https://linkding.link/ writes TOREAD",
    file: `<!DOCTYPE NETSCAPE-Bookmark-file-1>
<!-- This is an automatically generated file. <A HREF="https://comment.example/">not a link</A> -->
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
<TITLE>Bookmarks</TITLE>
<H1>Bookmarks</H1>
<DL><p>
    <DT><H3 ADD_DATE="1600000000" PERSONAL_TOOLBAR_FOLDER="true">Bookmarks bar</H3>
    <DL><p>
        <DT><H3 ADD_DATE="1600000000">a</H3>
        <DL><p>
            <DT><A HREF="https://one.example/" ADD_DATE="1700000001" TAGS="b c" TOREAD="0"
              ICON="data:image/png;base64,AAAA">One, &quot;first&quot;</A>
            <DD>A description of <b>it</b>
            <DT><A HREF="https://three.example/" TAGS="c,linkding:bookmarks.archived" TOREAD="1" DATA-IMPORTANT="true">Three</A>
        </DL><p>
    </DL><p>
    <DT><A HREF="https://two.example/ü" ADD_DATE="1700000002">
      Zwei</A>
</DL><p>
`,
    entries: [
      { ...one, ...read, line: 11 },
      { ...noteOn(ofOne, "A description of it"), line: 11 },
      { url: "https://three.example/", tags: ["starred", "a", "c"], ...read, line: 14 },
      { ...two, ...unread, line: 17 },
    ],
  },
  "pocket-csv": {
    source: "https://github.com/karakeep-app/karakeep/issues/570",
    file: `title,url,time_added,tags,status
"One, ""first""",https://one.example/,1700000001,a|b c,archive
Zwei,https://two.example/ü,1700000002,,unread
`,
    entries: [
      { ...one, ...read, line: 2 },
      { ...two, ...unread, line: 3 },
    ],
  },
  instapaper: {
    source: "https://github.com/wallabag/wallabag/blob/master/tests/fixtures/Import/instapaper-export-new.csv",
    file: `URL,Title,Selection,Folder,Timestamp,Tags
https://one.example/,"One, ""first""",,Archive,1700000001,"[""a"",""b c""]"
https://two.example/ü,Zwei,"several
lines",Unread,1700000002,[]
https://three.example/,Three,,Recipes,1700000003,"[""a""]"
https://four.example/,Four,,Starred,1700000004,[]
`,
    entries: [
      { ...one, ...read, line: 2 },
      { ...two, ...unread, line: 3 },
      { ...marked, ...ofTwo, quote: "several\nlines", timeCreated: 1700000002, line: 3 },
      { url: "https://three.example/", title: "Three", tags: ["Recipes", "a"], state: "unread", line: 5 },
      { url: "https://four.example/", title: "Four", tags: ["starred"], state: "unread", line: 6 },
    ],
  },
  "readwise-reader": {
    source: "https://github.com/karakeep-app/karakeep/blob/main/packages/shared/import-export/parsers.ts",
    file: `Title,URL,ID,Document tags,Saved date,Reading progress,Location,Seen
"One, ""first""",https://one.example/,x1,"['a', ""b c""]",2023-11-14 22:13:21+00:00,0.5,archive,True
Zwei,https://two.example/ü,x2,[],2023-11-14 22:13:22.291000+00:00,0,new,True
`,
    entries: [
      { ...one, ...read, progress: { percent: 50, anchor: "", time: 1700000001 }, line: 2 },
      { ...two, ...unread, line: 3 },
    ],
  },
  matter: {
    source: "https://github.com/karakeep-app/karakeep/blob/main/packages/shared/import-export/parsers.ts",
    file: `Title,Author,Publisher,URL,Tags,Word Count,In Queue,Favorited,Read,Highlight_Count,Last Interaction Date,File Id
"One, ""first""",Ann,Pub,https://one.example/,a;b c,1200,False,True,True,2,2023-11-14 22:13:21,f1
Zwei,Bob,Pub,https://two.example/ü,,900,True,False,False,0,2023-11-14 22:13:22,f2
`,
    entries: [
      { ...one, ...read, tags: ["starred", "a", "b c"], lost: { Highlight_Count: "2" }, line: 2 },
      { ...two, ...unread, line: 3 },
    ],
  },
  "wallabag-csv": {
    source: "https://github.com/wallabag/wallabag (Export as CSV)",
    file: `Title;URL;Content;Tags;"MIME Type";Language;"Creation date"
"One, ""first""";https://one.example/;"<p>a; b</p>
";"a, b c";text/html;en;"14/11/2023 22:13:21"
Zwei;https://two.example/ü;;;text/html;de;"14/11/2023 22:13:22"
`,
    entries: [
      { ...one, ...unread, lost: { Content: expect.stringContaining("<p>a; b</p>") }, line: 2 },
      { ...two, ...unread, line: 4 },
    ],
  },
  diigo: {
    source: "https://www.diigo.com/tools/export",
    file: `title,url,tags,description,comments,annotations,created_at
"One, ""first""",https://one.example/,"a, b c",,a comment,,2023-11-14 22:13:21 UTC
Zwei,https://two.example/ü,no_tag,,,,2023/11/14 22:13:22 +0000
`,
    entries: [
      { ...one, ...unread, line: 2 },
      { ...noteOn(ofOne, "a comment"), line: 2 },
      { ...two, ...unread, line: 3 },
    ],
  },
  csv: {
    source: "https://help.raindrop.io/export",
    file: `id;title;note;Link;folder;tags;created;status
1;"One, ""first""";;https://one.example/;Unsorted;a,b c;2023-11-14T22:13:21.000Z;Archived
2;Zwei;;https://two.example/ü;Unsorted;;2023-11-14 22:13:22;
`,
    entries: [
      { ...one, ...read, line: 2 },
      { ...two, ...unread, line: 3 },
    ],
  },
  "pocket-api": {
    source: "https://getpocket.com/developer/docs/v3/retrieve (archived)",
    file: `{"status":1,"complete":1,"list":{
"10":{"item_id":"10","resolved_id":"10","given_url":"https://one.example/","favorite":"0","status":"1","time_added":"1700000001","time_updated":"1700000009","resolved_title":"One, \\"first\\"","resolved_url":"https://one.example/","tags":{"a":{"item_id":"10","tag":"a"},"b c":{"item_id":"10","tag":"b c"}},"authors":{"1":{"author_id":"1","name":"N"}},"annotations":[{"annotation_id":"x","item_id":"10","quote":"a quotation","created_at":"2023-11-14 22:13:23"}]},
"11":{"item_id":"11","given_url":"https://two.example/ü","given_title":"Zwei","resolved_title":"","favorite":"1","status":"0","time_added":"1700000002"},
"12":{"item_id":"12","given_url":"https://three.example/","status":"2"}},"error":null,"since":1700000010}`,
    entries: [
      { ...one, ...read, line: 2 },
      { ...marked, ...ofOne, quote: "a quotation", timeCreated: 1700000003, line: 2 },
      { ...two, ...unread, tags: ["starred"], line: 3 },
      { problem: "it was deleted in Pocket", line: 4 },
    ],
  },
  starred: {
    source: "https://github.com/FreshRSS/FreshRSS/blob/edge/app/Controllers/importExportController.php",
    file: `{"id":"user/-/state/com.google/starred","title":"Starred","self":[{"href":"https://reader.example/"}],"updated":1700000009,"items":[
{"crawlTimeMsec":"1699999999000","id":"tag:google.com,2005:reader/item/1","categories":["user/1/state/com.google/read","user/1/state/com.google/starred","user/1/label/a","user/-/label/b c"],"title":"One, \\"first\\"","published":1600000000,"starred":1700000001,"canonical":[{"href":"https://one.example/"}],"alternate":[{"href":"https://one.example/amp"}],"summary":{"content":"<p>text</p>"},"origin":{"streamId":"feed/x","htmlUrl":"https://site.example/"}},
{"title":"Zwei","published":1700000002,"alternate":[{"href":"https://two.example/ü"}],"origin":{"title":"x"}}]}`,
    entries: [
      { ...one, ...read, tags: ["starred", "a", "b c"], line: 2 },
      { ...two, ...unread, tags: ["starred"], line: 3 },
    ],
  },
  safari: {
    source: "plutil -convert xml1 of ~/Library/Safari/Bookmarks.plist",
    file: `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><dict><key>Children</key><array>
<dict><key>Children</key><array><dict><key>ReadingList</key><dict><key>DateAdded</key><date>2023-11-14T22:13:21Z</date><key>DateLastViewed</key><date>2023-11-15T22:13:21Z</date><key>PreviewText</key><string>p</string></dict><key>URIDictionary</key><dict><key></key><string>https://one.example/</string><key>title</key><string>One, "first"</string></dict><key>URLString</key><string>https://one.example/</string></dict></array><key>Title</key><string>com.apple.ReadingList</string></dict>
<dict><key>Children</key><array><dict><key>Children</key><array><dict><key>URIDictionary</key><dict><key>title</key><string>Zwei</string></dict><key>URLString</key><string>https://two.example/ü</string></dict></array><key>Title</key><string>a</string></dict></array><key>Title</key><string>BookmarksBar</string></dict>
</array></dict></plist>`,
    entries: [
      { ...one, tags: [], ...read, line: 1 },
      { ...two, tags: ["a"], ...unread, timeAdded: undefined, line: 1 },
    ],
  },
  xml: {
    source: "https://pinboard.in/api/#posts_all; https://pyxml.sourceforge.net/topics/xbel/",
    file: `<?xml version="1.0" encoding="UTF-8"?>
<posts user="ann">
<post href="https://one.example/" description="One, &quot;first&quot;" extended="my note" hash="x" meta="y" tag="a b" time="2023-11-14T22:13:21Z" shared="no" toread="no"/>
<post href="https://two.example/ü" description="Zwei" extended="" tag="" time="2023-11-14T22:13:22Z" toread="yes"/>
</posts>`,
    entries: [
      { ...one, tags: ["a", "b"], ...read, line: 3 },
      { ...noteOn(ofOne, "my note"), line: 3 },
      { ...two, ...unread, line: 4 },
    ],
  },
  links: {
    source: "https://buku.readthedocs.io (export to Markdown and Org)",
    file: `# Links
- [One, "first"](https://one.example/ "t") <!-- TAGS: a,b c -->
  text
* TODO [[https://two.example/ü][Zwei]] - my note
- [x] [A \\[1\\]](https://en.example/A_(b)) :a:b:
1. https://three.example/
`,
    entries: [
      { ...one, timeAdded: undefined, ...unread, line: 2 },
      { ...two, timeAdded: undefined, ...unread, line: 4 },
      { ...noteOn(ofTwo, "my note", undefined), timeCreated: undefined, line: 4 },
      { url: "https://en.example/A_(b)", title: "A [1]", tags: ["a", "b"], ...read, line: 5 },
      { url: "https://three.example/", title: "", ...unread, line: 6 },
    ],
  },
  urls: {
    source: "docs/import-export.md",
    file: `# from my notes

https://one.example/
  https://two.example/ü   Zwei
https://three.example/ | Three | 3
`,
    entries: [
      { url: "https://one.example/", title: "", tags: [], state: "unread", timeAdded: undefined, line: 3 },
      { url: "https://two.example/ü", title: "Zwei", tags: [], state: "unread", timeAdded: undefined, line: 4 },
      { url: "https://three.example/", title: "Three | 3", tags: [], state: "unread", timeAdded: undefined, line: 5 },
    ],
  },
};
