// SPDX-License-Identifier: MIT

import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";

export type Half = "a" | "b" | "all";
export type ArticleSet = "news" | "web" | "more" | "train";

export interface LabelledPage {
  id: string;
  url: string;
  html: string;
  /** Ground truth of the sets `news`, `web` and `more`. */
  text?: string;
  title?: string;
  type?: string;
  /** Ground truth of the set `next`. */
  next?: string[];
  /** Ground truth of the set `login`. */
  login?: boolean;
}

const howToGetPages = `\
bench:text needs labelled pages, which are not part of this repository because of their size (250 MB as HTML).
Give their folder: npm run bench:text -- --data DIR

DIR has a folder for each set: news, web, more (articles), next (next-page links), login (login forms). Each contains
index.json, an array of {"id", "url"} and the ground truth: "text" and "title" for articles, "next" (an array of URLs),
"login" (true or false); and html/<id>.html.gz, the page in UTF-8. The sets can be made from public data:
  news   Scrapinghub article extraction benchmark (github.com/scrapinghub/article-extraction-benchmark, MIT)
  web, more   Web Content Extraction Benchmark by Murrough Foley, development part (CC BY 4.0)
  next   autopager by TeamHG-Memex (github.com/TeamHG-Memex/autopager, MIT)
  login  Formasaurus (github.com/scrapinghub/Formasaurus, MIT)`;

/** The labelled pages in a folder. Throws if the folder does not contain them, with a message that says how to get them. */
export class LabelledPages {
  readonly #folder: string;

  constructor(folder: string | undefined) {
    if (folder === undefined) throw new Error(howToGetPages);
    if (!existsSync(path.join(folder, "news", "index.json"))) {
      throw new Error(`no labelled pages in ${folder}: news/index.json is missing\n\n${howToGetPages}`);
    }
    this.#folder = folder;
  }

  /** The pages of a set. A hash of the id fixes the halves: rules are tuned on `a`, figures are quoted from `b`. */
  of(set: ArticleSet | "next" | "login", half: Half = "all"): LabelledPage[] {
    const folder = path.join(this.#folder, set);
    const index = JSON.parse(readFileSync(path.join(folder, "index.json"), "utf8")) as Omit<LabelledPage, "html">[];
    return index
      .filter(({ id }) => half === "all" || halfOf(id) === half)
      .map((page) => ({
        ...page,
        url: page.url || "https://example.com/",
        html: gunzipSync(readFileSync(path.join(folder, "html", `${page.id}.html.gz`))).toString("utf8"),
      }));
  }
}

function halfOf(id: string): Half {
  return (createHash("sha256").update(id).digest()[0] ?? 0) & 1 ? "b" : "a";
}
