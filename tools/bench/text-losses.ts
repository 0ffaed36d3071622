// SPDX-License-Identifier: MIT

/**
 * Lists what the text view of a page lacks although it has the lines around it, with the rule that removed each:
 * `npm run bench:text -- --data DIR --losses [--verbose]`. Compare the lists of two versions with `diff`.
 */
import { Readability } from "@mozilla/readability";
import { allRules, type Rules } from "@reading-list/article/article/rules.ts";
import {
  closestThat,
  contains,
  type DomDocument,
  type DomElement,
  findClosest,
  findElements,
  headingLevel,
  headingNames,
  toLetters,
  visibleText,
} from "@reading-list/article/document/dom.ts";
import { copyPage, parsePage } from "@reading-list/article/document/parse-page.ts";
import { isProse } from "@reading-list/article/document/prose.ts";
import { removeHidden } from "@reading-list/article/document/visibility.ts";
import { viewPage } from "@reading-list/article/view/text-view.ts";
import type { LabelledPages } from "./text-pages.ts";

const kinds = ["heading", "picture", "quotation", "code", "paragraph"] as const;
type Kind = (typeof kinds)[number];

/** A heading, picture, quotation, line of code or paragraph of prose, or another line of text (`kind` undefined). */
interface Part {
  kind: Kind | undefined;
  element: DomElement;
  /** Letters; of a picture the names of its files, because a view writes the address of the best size. */
  keys: readonly string[];
  shown: string;
}

interface Loss {
  kind: Kind;
  shown: string;
  /** The name of a rule, "hidden" if the page hides it, "name" if Readability removes a box with this name, or "none". */
  reason: string;
  isInTruth: boolean;
}

/** The parts of a page that its view should have, because it has the lines around them, and those of them that it lacks. */
export function lossesOf(
  html: string,
  url: string,
  truth?: string,
): { expected: Record<Kind, number>; losses: Loss[] } {
  const removedBy = new Map<string, string>();
  const { html: view, title } = viewPage(html, url, { mode: "less", images: true }, traced(removedBy));
  const letters = toLetters(textOf(view));
  const isTitle = ({ kind, keys: [key = ""] }: Part) => kind === "heading" && toLetters(title).startsWith(key);
  const trueLetters = truth === undefined ? undefined : toLetters(truth);
  const isShown = ({ kind, keys }: Part) => keys.some((key) => (kind === "picture" ? view : letters).includes(key));
  const document = copyPage(parsePage(html), url);
  const parts = partsOf(document);
  removeHidden(document);
  const expected = { heading: 0, picture: 0, quotation: 0, code: 0, paragraph: 0 };
  const losses: Loss[] = [];
  const areShown = parts.map((part) => isLine(part) && isShown(part));
  const [first, last] = [areShown.indexOf(true), areShown.lastIndexOf(true)];
  for (const [index, part] of parts.entries()) {
    const { kind, keys, element, shown } = part;
    if (kind === undefined) continue;
    if (kind === "paragraph") {
      if (index < first || index > last) continue;
    } else {
      const next = parts.slice(index + 1).find((other) => isLine(other) || isAbove(other, part));
      const before = parts.slice(0, index).findLast(isLine);
      if (next === undefined || !isLine(next) || !isShown(next)) continue;
      if (kind !== "heading" && (before === undefined || !isShown(before))) continue;
    }
    const isInTruth = kind === "picture" || (trueLetters?.includes(keys[0] ?? "") ?? true);
    if (isInTruth) expected[kind]++;
    if (isShown(part) || isTitle(part)) continue;
    const rule = keys.flatMap((key) => removedBy.get(key) ?? [])[0];
    const isNamed = closestThat(element, isUnlikely) !== null;
    const reason = rule ?? (document.body.contains(element) ? (isNamed ? "name" : "none") : "hidden");
    losses.push({ kind, shown, reason, isInTruth });
  }
  return { expected, losses };
}

/** Whether Readability removes an element because of its class or id. */
function isUnlikely(element: DomElement): boolean {
  const name = `${element.getAttribute("class") ?? ""} ${element.id}`;
  return names.unlikelyCandidates.test(name) && !names.okMaybeItsACandidate.test(name);
}

const { REGEXPS: names } = Readability.prototype as unknown as {
  REGEXPS: { unlikelyCandidates: RegExp; okMaybeItsACandidate: RegExp };
};

const isLine = ({ kind }: Part) => kind === undefined || kind === "paragraph";

/** Whether a part is a heading that ends the section of another one. */
const isAbove = (part: Part, { kind, element }: Part) =>
  kind === "heading" && part.kind === "heading" && headingLevel(part.element) <= headingLevel(element);

/** The rules, which report the name of each rule with the text and the pictures of the elements that it removes. */
function traced(removedBy: Map<string, string>): Rules {
  const trace = (rule: Rules["page"][number]): Rules["page"][number] => ({
    ...rule,
    *apply(root, context) {
      for (const element of rule.apply(root, context) ?? []) {
        for (const { keys } of partsIn(element)) for (const key of keys) removedBy.set(key, rule.name);
        yield element;
      }
    },
  });
  const { page, container, article, story, last } = allRules;
  return {
    page: page.map(trace),
    container: container.map(trace),
    article: article.map(trace),
    story: story.map(trace),
    last: last.map(trace),
  };
}

const textOf = (html: string) => copyPage(parsePage(html), "https://example.com/").body.textContent;

const partsOf = ({ body }: DomDocument): Part[] =>
  partsIn(body).filter(({ element }) => findClosest(element, elsewhere) === null);

function partsIn(root: DomElement): Part[] {
  return [root, ...findElements(root, blocks)].flatMap((element): Part[] => {
    const { localName } = element;
    const text = visibleText(element);
    const part = (kind: Kind | undefined, keys = [toLetters(text)], shown = text) => ({ kind, element, keys, shown });
    if (findClosest(element.parentElement, "pre,blockquote") !== null) return [];
    if (localName === "img") return isLarge(element) ? [part("picture", filesOf(element), filesOf(element)[0])] : [];
    if (localName === "pre") {
      const lines = element.textContent.split("\n").map((line) => line.trim());
      return lines
        .filter((line) => toLetters(line).length >= 3)
        .map((line) => part("code", [line, line.replace(/^\d+/, "")].map(toLetters), line));
    }
    if (localName === "blockquote") return toLetters(text).length < minLine ? [] : [part("quotation")];
    if (headingNames.split(",").includes(localName))
      return toLetters(text).length < 3 ? [] : [part("heading", headingKeys(element))];
    if (contains(element, blocks) || toLetters(text).length < minLine) return [];
    return [isParagraph(element) ? part("paragraph", startAndEnd(toLetters(text))) : part(undefined)];
  });
}

const isParagraph = (element: DomElement) =>
  /^(?:p|div)$/.test(element.localName) && isProse(element) && findClosest(element, "a,figure") === null;

/** The text, and its start and its end: the view takes notes out of a sentence. */
const startAndEnd = (text: string) => [text, text.slice(0, maxSample), text.slice(-maxSample)];

/** A heading, with and without the links and signs at its end. */
function headingKeys(heading: DomElement): string[] {
  const first = [...heading.childNodes].map(({ textContent }) => toLetters(textContent)).find((key) => key !== "");
  return [toLetters(heading.textContent), ...(first !== undefined && first.length >= 3 ? [first] : [])];
}

function filesOf(image: DomElement): string[] {
  const attributes = ["src", "data-src", "data-lazy-src", "data-original", "srcset", "data-srcset"];
  const addresses = attributes.flatMap((name) => image.getAttribute(name)?.split(/[\s,]+/) ?? []);
  const pages = addresses.filter((address) => /[/.]/.test(address) && !address.startsWith("data:"));
  return pages.flatMap((address) => address.split(/[?#]/)[0]?.split("/").at(-1) || []);
}

function isLarge(image: DomElement): boolean {
  const sides = ["width", "height"].map((side) => Number.parseFloat(image.getAttribute(side) ?? "0"));
  const figure = findClosest(image, "figure");
  const isDeclared = sides.every((side) => side >= 200) || (figure !== null && contains(figure, "figcaption"));
  return isDeclared && filesOf(image).length > 0;
}

const blocks = new Set(
  `p,li,div,pre,blockquote,table,td,th,dd,dt,figure,figcaption,ul,ol,img,${headingNames}`.split(","),
);
/** Letters. */
const minLine = 30;
const maxSample = 60;
const elsewhere = new Set(["nav", "aside", "footer", "form", "dialog", "menu"]);

/** The number of losses by kind and reason, in one line. */
function summaryOf(losses: readonly Loss[]): string {
  const groups = Map.groupBy(losses, ({ kind, reason }) => `${kind} ${reason}`);
  return [...groups]
    .map(([group, { length }]) => `${group} ${length}`)
    .sort()
    .join(", ");
}

/** Prints the losses of each page by reason, and their number in each set. `--verbose` prints the text of each one. */
export function printLosses(pages: LabelledPages, isVerbose: boolean): void {
  const totals = (["news", "web", "more", "train"] as const).map((set) => {
    const found = pages.of(set).map((page) => ({ page, ...lossesOf(page.html, page.url, page.text) }));
    for (const { page, losses } of found.filter(({ losses }) => losses.length > 0)) {
      console.log(`${set}/${page.id}: ${summaryOf(losses)}`);
      for (const { kind, reason, shown } of isVerbose ? losses : [])
        console.log(`    ${kind} ${reason} ${shown.slice(0, 80)}`);
    }
    const counts = kinds.map((kind) => {
      const lost = found.flatMap(({ losses }) => losses.filter((loss) => loss.kind === kind && loss.isInTruth));
      const all = found.reduce((sum, { expected }) => sum + expected[kind], 0);
      return `${kind} ${lost.length} of ${all}, ${lost.filter(({ reason }) => reason === "none").length} by no rule`;
    });
    return `${set.padEnd(5)} ${counts.join("; ")}`;
  });
  console.log(`lost between lines that the view has, as far as the ground truth has them:\n${totals.join("\n")}`);
}
