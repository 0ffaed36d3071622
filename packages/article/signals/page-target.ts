// SPDX-License-Identifier: MIT

import { imageSource } from "../document/link-target.ts";
import type { PageSource } from "../document/parse-page.ts";
import { isElementNode, readAttribute, textIn, walkNodes } from "../document/source-tree.ts";

/** Letters of the longest page that only sends its readers on. */
const maxLetters = 600;
/** Seconds after which a redirecting page has redirected; a page that reloads itself waits longer. */
const maxDelay = 10;
/** Characters of its scripts. A longer one is a program, which may name places that it does not go to. */
const maxScriptLength = 2000;

/**
 * The page to which a page without content sends its readers: by `<meta http-equiv=refresh>`, by a script that does nothing
 * else, or by its only link below a word such as "Redirecting". Undefined if it stays.
 */
export function findTarget(source: PageSource, url: string): string | undefined {
  const refreshes: string[] = [];
  const links = new Set<string>();
  let [text, script, base, hasProgram] = ["", "", url, false];
  for (const node of walkNodes(source)) {
    if (!isElementNode(node)) {
      if (!("value" in node) || notShown.has(node.parentNode?.nodeName ?? "")) continue;
      text += `${node.value} `;
      if (text.length > maxLetters && text.replace(/\s+/g, "").length > maxLetters) return undefined;
    } else if (node.tagName === "script") {
      script += textIn(node);
      hasProgram ||= readAttribute(node, "src") !== "";
    } else if (node.tagName === "meta" && /^refresh$/i.test(readAttribute(node, "http-equiv"))) {
      refreshes.push(readAttribute(node, "content"));
    } else if (node.tagName === "base") {
      base = imageSource(readAttribute(node, "href"), url) ?? base;
    } else if (node.tagName === "a") {
      links.add(readAttribute(node, "href"));
    }
  }
  const other = (target: string | undefined) => {
    const page = imageSource(target?.trim(), base)?.split("#")[0];
    return page === url.split("#")[0] ? undefined : page;
  };
  const refresh = refreshes.map(refreshTarget).map(other).find(Boolean);
  if (refresh !== undefined) return refresh;
  if (hasProgram || script.length > maxScriptLength) return undefined;
  const { place } = assignment.exec(script)?.groups ?? {};
  if (place !== undefined) return other(unescaped(place));
  return links.size === 1 && movedWords.test(text) ? other([...links][0]) : undefined;
}

const notShown = new Set(["script", "style", "template"]);

function refreshTarget(content: string): string | undefined {
  const [, delay, target] = /^\s*([\d.]+)\s*[;,\s]\s*(?:url\s*=\s*)?["']?([^"']+)/i.exec(content) ?? [];
  return Number(delay) <= maxDelay ? target : undefined;
}

const assignment = /\blocation(?:\.href)?\s*(?:=|\.(?:replace|assign)\()\s*(["'])(?<place>[^"'\s]+)\1/;
const unescaped = (text: string) =>
  text
    .replace(/\\(?:x([\da-f]{2})|u([\da-f]{4}))/gi, (_, byte, unit) =>
      String.fromCharCode(Number.parseInt(byte ?? unit, 16)),
    )
    .replaceAll("\\/", "/");

const movedWords =
  /\bredirect|\bmoved\b|weiterleitung|weitergeleitet|redirection|redirigi|reindirizza|перенаправ|リダイレクト/i;

/**
 * The JSON that a page names as its own: an alternate of the type `application/json`, as WordPress names it; of a topic of
 * Discourse its address with `.json`. Undefined if it is not of the page's origin.
 */
export function findData(source: PageSource, url: string): string | undefined {
  let generator = "";
  let [alternate, canonical] = [url, url];
  for (const node of walkNodes(source)) {
    if (!isElementNode(node)) continue;
    if (node.tagName === "meta" && readAttribute(node, "name") === "generator")
      generator = readAttribute(node, "content");
    if (node.tagName !== "link") continue;
    const relations = readAttribute(node, "rel").toLowerCase().split(/\s+/);
    const target = imageSource(readAttribute(node, "href"), url);
    if (target === undefined) continue;
    if (relations.includes("canonical")) canonical = target;
    const isJson = readAttribute(node, "type") === "application/json";
    if (relations.includes("alternate") && isJson && alternate === url) alternate = target;
  }
  const topic = /^Discourse\b/.test(generator) ? /^[^?#]*\/t\/(?:[^/?#]+\/)?\d+/.exec(canonical)?.[0] : undefined;
  const data = topic === undefined ? alternate : `${topic}.json`;
  return data !== url && new URL(data).origin === new URL(url).origin ? data : undefined;
}
