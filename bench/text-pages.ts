import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

/** The pages with ground truth that stand beside the project; see the README there. */
const root = new URL("../../shared/extraction/", import.meta.url);

export type Half = "a" | "b" | "all";

export interface LabelledPage {
  id: string;
  url: string;
  html: string;
  /** Ground truth of the sets `news` and `web`. */
  text?: string;
  title?: string;
  type?: string;
  /** Ground truth of the set `next`. */
  next?: string[];
  /** Ground truth of the set `login`. */
  login?: boolean;
}

/** The pages of a set. The halves are fixed by a hash of the id: rules are tuned on `a`, figures quoted from `b`. */
export function pagesOf(set: "news" | "web" | "next" | "login", half: Half = "all"): LabelledPage[] {
  const index = JSON.parse(readFileSync(new URL(`${set}/index.json`, root), "utf8")) as Omit<LabelledPage, "html">[];
  return index
    .filter(({ id }) => half === "all" || halfOf(id) === half)
    .map((page) => ({
      ...page,
      url: page.url || "https://example.com/",
      html: gunzipSync(readFileSync(new URL(`${set}/html/${page.id}.html.gz`, root))).toString("utf8"),
    }));
}

function halfOf(id: string): Half {
  return (createHash("sha256").update(id).digest()[0] ?? 0) & 1 ? "b" : "a";
}
