// SPDX-License-Identifier: MIT

/** A part of an article that is read aloud at once. */
export interface SpokenPart {
  text: string;
  /** The paragraph that contains it; undefined for the title. */
  block: Element | undefined;
}

/** Some engines stop after 15 s of one utterance, so each is at most some sentences long. */
const maxCharacters = 250;
const blocks = "p, li, h1, h2, h3, h4, h5, h6, pre, blockquote, figcaption, td, th, dt, dd";

/** Whether the browser can read aloud. */
export const canListen = "speechSynthesis" in globalThis;

/** The title of an article, and its text, in parts of whole sentences. */
export function spokenParts(title: string, content: Document): SpokenPart[] {
  const paragraphs: SpokenPart[] = [{ text: title, block: undefined }];
  const texts = content.createTreeWalker(content.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const block = node.parentElement?.closest(blocks) ?? content.body;
    const last = paragraphs.at(-1);
    if (last?.block === block) last.text += node.textContent;
    else paragraphs.push({ text: node.textContent ?? "", block });
  }
  return paragraphs.flatMap(({ text, block }) => sentencesIn(text).map((part) => ({ text: part, block })));
}

function sentencesIn(text: string): string[] {
  const parts: string[] = [];
  for (const sentence of text.replaceAll(/\s+/g, " ").match(/[^.!?。！？]+[.!?。！？]*/g) ?? []) {
    const last = parts.at(-1);
    if (last !== undefined && last.length + sentence.length < maxCharacters) parts[parts.length - 1] = last + sentence;
    else parts.push(sentence);
  }
  return parts.map((part) => part.trim()).filter(Boolean);
}

/** The first part on the screen, below a height in pixels; the title if the article begins there. */
export function firstPartBelow(parts: readonly SpokenPart[], line: number, frame: HTMLElement): number {
  const { top } = frame.getBoundingClientRect();
  if (top >= line) return 0;
  const found = parts.findIndex(({ block }) => block && top + block.getBoundingClientRect().bottom > line);
  return Math.max(0, found);
}

/** The language that an article declares, such as `de`. */
export const spokenLanguage = (content: Document): string =>
  content.body.querySelector<HTMLElement>("[lang]")?.lang.toLowerCase().split("-")[0] ?? "";

/** The voices of a language, or all voices if the language has none. */
export function voicesFor(language: string): SpeechSynthesisVoice[] {
  const all = speechSynthesis.getVoices();
  const own = all.filter(({ lang }) => lang.toLowerCase().split(/[-_]/)[0] === language);
  return own.length > 0 ? own : all;
}
