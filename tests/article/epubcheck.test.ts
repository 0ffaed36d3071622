// SPDX-License-Identifier: MIT

import { execFile } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { expect, test } from "vitest";
import { bookOf, faults, png, serveImages, webp } from "./books.ts";

/** Debian's is a jar file. */
const epubcheck = "/usr/bin/epubcheck";
const hasEpubcheck = existsSync(epubcheck);
/** Halves the processor time of a run of seconds. */
const shortRun = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"];
if (!hasEpubcheck)
  console.warn("SKIPPED: epubcheck of books, as it is not installed; sh .ci/install-epubcheck installs it");

test.skipIf(!hasEpubcheck)(
  "epubcheck accepts books of fragments with every fault of nesting",
  async () => {
    const origin = await serveImages({ "/picture.png": png, "/picture.webp": webp });
    const faulty = Object.entries(faults).map(([title, html]) => ({ title, html }));
    const arabic = { html: `<div lang="ar" dir="rtl"><p>نص</p></div>`, title: "عنوان" };
    const pictured = {
      html: `<p>x</p><figure><img src="${origin}/picture.png" alt="A picture"></figure><img src="${origin}/picture.webp">`,
    };
    const books = [
      [...faulty, pictured, { title: "", html: "", url: "http://e.example/a?b=c&d=[e]" }],
      [{ ...arabic, author: "A & B", publishedAt: "2026-05-01T10:00:00Z" }],
    ];
    const noted =
      '<section><div lang="en"><figure><img src="x"><figcaption>c</figcaption></figure><p><mark>a</mark><a id="highlight-1" href="#note-1" epub:type="noteref"><sup>1</sup></a> &amp; b<br></p></div></section>';
    const notes = '<hr><ol><li id="note-1" epub:type="footnote">A &lt;note&gt; <a href="#highlight-1">↩</a></li></ol>';
    const folder = temporaryFolder();
    const reports = [...books, [{ html: noted, notes }], [{ html: noted, notes }]].map(async (chapters, index, all) => {
      const file = path.join(folder, `${index}.epub`);
      writeFileSync(file, await bookOf(chapters, origin, { isVerbatim: index === all.length - 1 }));
      const { stdout, stderr } = await promisify(execFile)("java", [...shortRun, "-jar", epubcheck, file]);
      return stderr + stdout;
    });
    for (const report of await Promise.all(reports)) expect(report).toContain("No errors or warnings detected");
  },
  600_000,
);
