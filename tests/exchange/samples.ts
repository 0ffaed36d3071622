import { createHash } from "node:crypto";
import type { Entry } from "@reading-list/exchange/main.ts";

/** A file of a format, and what it tells. The files were written for these tests after the descriptions named. */
interface Sample {
  /** A public description of the format, or a file of it. */
  source: string;
  file: string;
  entries: Partial<Entry>[];
}

const jsonLines = `{"url":"https://one.example/","title":"One, \\"first\\"","tags":["a","b c"],"state":"read","time_added":1700000001,"time_updated":1700000005,"item_id":"7"}
{"url":"https://two.example/ü","title":"Zwei","tags":[],"state":"unread","time_added":1700000002,"time_updated":1700000006}
`;
const checksum = createHash("sha256").update(jsonLines).digest("hex");

const one = { url: "https://one.example/", title: 'One, "first"', tags: ["a", "b c"], timeAdded: 1700000001 };
const two = { url: "https://two.example/ü", title: "Zwei", tags: [], timeAdded: 1700000002 };
const read = { state: "read" } as const;
const unread = { state: "unread" } as const;

export const samples: Record<string, Sample> = {
  "json-lines": {
    source: "packages/exchange/json-lines.ts",
    file: `${jsonLines}{"count":2,"sha256":"${checksum}"}\n`,
    entries: [
      { ...one, ...read, timeUpdated: 1700000005, line: 1 },
      { ...two, ...unread, timeUpdated: 1700000006, line: 2 },
    ],
  },
  "users-export": {
    source: "readinglist users export, version 0.1.0",
    file: `{"username":"ann","user_since":1690000000,"count_unread":1,"count_read":1,"items":[
{"item_id":"7","url":"https://one.example/","title":"One, \\"first\\"","tags":"a,b c","state":"1","time_added":1700000001,"time_updated":1700000005,"application_id":"local"},
{"item_id":"8","url":"https://two.example/ü","title":"Zwei","tags":"","state":"0","time_added":1700000002,"time_updated":1700000006,"application_id":"local"}
]}
`,
    entries: [
      { ...one, ...read, timeUpdated: 1700000005, line: 2 },
      { ...two, ...unread, timeUpdated: 1700000006, line: 3 },
    ],
  },
  wallabag: {
    source: "https://github.com/wallabag/wallabag/blob/master/tests/fixtures/Import/wallabag-v2-read.json",
    file: `[
  {"is_archived": 1, "is_starred": 0, "tags": ["a", "b c"], "id": 1, "title": "One, \\"first\\"",
   "url": "https://one.example/", "content": "<p>{[\\"not a bracket\\\\\\"]}, 5\\" {</p>", "created_at": "2023-11-14T22:13:21+0000"},
  {"is_archived": 0, "is_starred": 1, "tags": [], "id": 2, "title": "Zwei",
   "url": "https://two.example/\\u00fc", "content": "", "created_at": "2023-11-15T00:13:22+02:00"}
]`,
    entries: [
      { ...one, ...read, line: 2 },
      { ...two, ...unread, line: 4 },
    ],
  },
  readeck: {
    source: "https://pypi.org/project/readeck/ (model of a bookmark in the answers of Readeck's API)",
    file: `[{"id":"x1","href":"https://readeck.example/api/bookmarks/x1","created":"2023-11-14T22:13:21.5Z","url":"https://one.example/","title":"One, \\"first\\"","labels":["a","b c"],"is_archived":true,"is_deleted":false},
{"id":"x2","href":"https://readeck.example/api/bookmarks/x2","created":"2023-11-14T22:13:22Z","url":"https://two.example/ü","title":"Zwei","labels":[],"is_archived":false,"is_deleted":false}]`,
    entries: [
      { ...one, ...read, line: 1 },
      { ...two, ...unread, line: 2 },
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
  karakeep: {
    source: "https://github.com/karakeep-app/karakeep/blob/main/packages/shared/import-export/exporters.ts",
    file: `{"bookmarks":[
{"createdAt":1700000001,"title":"One, \\"first\\"","tags":["a","b c"],"lists":["l1"],"content":{"type":"link","url":"https://one.example/"},"note":null,"archived":true},
{"createdAt":1700000002,"title":"Zwei","tags":[],"content":{"type":"link","url":"https://two.example/ü"},"note":"{","archived":false}],
"lists":[{"id":"l1","name":"Later","icon":"x","type":"manual"}]}`,
    entries: [
      { ...one, ...read, line: 2 },
      { ...two, ...unread, line: 3 },
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
        </DL><p>
    </DL><p>
    <DT><A HREF="https://two.example/ü" ADD_DATE="1700000002">
      Zwei</A>
</DL><p>
`,
    entries: [
      { ...one, ...read, line: 11 },
      { ...two, ...unread, line: 16 },
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
`,
    entries: [
      { ...one, ...read, line: 2 },
      { ...two, ...unread, line: 3 },
      { url: "https://three.example/", title: "Three", tags: ["Recipes", "a"], state: "unread", line: 5 },
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
  urls: {
    source: "docs/import-export.md",
    file: `# from my notes

https://one.example/
  https://two.example/ü   Zwei
`,
    entries: [
      { url: "https://one.example/", title: "", tags: [], state: "unread", timeAdded: undefined, line: 3 },
      { url: "https://two.example/ü", title: "Zwei", tags: [], state: "unread", timeAdded: undefined, line: 4 },
    ],
  },
};
