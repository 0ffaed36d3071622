// SPDX-License-Identifier: MIT

import { escapeText } from "@reading-list/core/domain/escape.ts";
import { parseFragment } from "parse5";
import { writeParagraphs } from "./paragraphs.ts";
import { listTypes, type Thing } from "./structured-data.ts";

/**
 * The text that structured data declares for a page that shows none without its scripts, such as a post, a question
 * with its answers, a recipe or a product, as unsanitised markup. Empty if no text is declared.
 */
export function declaredText(things: readonly Thing[]): string {
  for (const thing of things) {
    const markup = listTypes(thing).some((type) => subject.test(type)) ? write(thing, maxDepth) : "";
    if (markup !== "") return markup;
  }
  return "";
}

const subject =
  /Article$|Posting$|^(?:Report|Comment|QAPage|FAQPage|Question|Recipe|HowTo|Product|Book|Movie|Event|JobPosting|Course|SoftwareApplication|Dataset|VideoObject|AudioObject|PodcastEpisode|Review)$/;
const maxDepth = 4;
/** Entries of a list; the data of a page have at most 500 objects. */
const maxEntries = 200;

function write(thing: Thing, depth: number): string {
  if (depth === 0) return "";
  const text = ["articleBody", "text", "reviewBody", "description"].map((name) => joinTexts(thing[name])).find(Boolean);
  const title = listTypes(thing).includes("Question") ? joinTexts(thing.name) : "";
  const inner = ["mainEntity", "acceptedAnswer", "suggestedAnswer", "comment"].flatMap((name) =>
    objectsIn(thing[name]).map((one) => write(one, depth - 1)),
  );
  const markup = [
    text === undefined ? "" : toBlocks(text),
    writeList("ul", thing.recipeIngredient),
    writeList("ol", thing.recipeInstructions ?? thing.step),
    ...inner,
  ].join("");
  return markup === "" || title === "" || title === text ? markup : `<h2>${escapeText(title)}</h2>${markup}`;
}

/** A text may be markup, have its entities, or be escaped markup. */
function toBlocks(text: string): string {
  if (/&lt;\/(?:p|div|h\d|li|a)&gt;/i.test(text)) return toBlocks(decodeEntities(text));
  return /<\/?[a-z]|&(?:#\d|[a-z])/i.test(text) ? `<div>${text}</div>` : writeParagraphs(text);
}

/** Text with its entities, such as `&amp;`, as signs. */
export const decodeEntities = (text: string): string =>
  parseFragment(text.replaceAll("<", "&lt;"))
    .childNodes.map((node) => ("value" in node ? node.value : ""))
    .join("");

function writeList(name: string, value: unknown): string {
  const entries = [value]
    .flat()
    .slice(0, maxEntries)
    // A section of a recipe has steps of its own.
    .flatMap((entry) => ((entry as Thing | null)?.itemListElement ?? entry) as unknown)
    .slice(0, maxEntries)
    .map((entry) => joinTexts(entry) || joinTexts((entry as Thing | null)?.text));
  const items = entries.filter((entry) => entry !== "").map((entry) => `<li>${toBlocks(entry)}</li>`);
  return items.length === 0 ? "" : `<${name}>${items.join("")}</${name}>`;
}

const joinTexts = (value: unknown): string => {
  const texts = [value].flat().filter((one) => typeof one === "string");
  return texts.map((text) => text.trim()).join("\n\n");
};
const objectsIn = (value: unknown): Thing[] =>
  [value]
    .flat()
    .slice(0, maxEntries)
    .filter((one): one is Thing => typeof one === "object" && one !== null);
