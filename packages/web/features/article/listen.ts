// SPDX-License-Identifier: MIT

import type { TextView } from "@reading-list/client/main.ts";
import { plainTextOf } from "../../kit/plain-text.ts";

/** Some engines stop after 15 s of one utterance, so each is at most some sentences long. */
const maxCharacters = 250;

/** Whether the browser can read aloud. */
export const canListen = "speechSynthesis" in globalThis;

/** Reads an article aloud, after its title; `onEnd` is called at its end. Returns a function that stops it. */
export function listen(title: string, views: readonly TextView[], onEnd: () => void): () => void {
  const language = /\blang="([\w-]+)"/.exec(views[0]?.html ?? "")?.[1];
  const text = views
    .map(({ html }) => plainTextOf(html.replaceAll(/<\/(p|li|h\d|blockquote|dd|dt)>/g, "\n")))
    .join("\n");
  const sentences = `${title}\n${text}`.match(/[^\n.!?。！？]+[.!?。！？]*/g) ?? [];
  const parts: string[] = [];
  for (const sentence of sentences.map((sentence) => sentence.trim()).filter(Boolean)) {
    const last = parts.at(-1);
    if (last !== undefined && last.length + sentence.length < maxCharacters)
      parts[parts.length - 1] = `${last} ${sentence}`;
    else parts.push(sentence);
  }
  speechSynthesis.cancel();
  for (const [i, part] of parts.entries()) {
    const utterance = new SpeechSynthesisUtterance(part);
    if (language) utterance.lang = language;
    if (i === parts.length - 1) utterance.onend = onEnd;
    speechSynthesis.speak(utterance);
  }
  return () => speechSynthesis.cancel();
}
