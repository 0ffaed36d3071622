// SPDX-License-Identifier: MIT

import type { TextView } from "@reading-list/client/main.ts";
import { writeMarkdown } from "@reading-list/core/domain/markdown.ts";

/** The pages of an article as Markdown, with its title and address. */
export async function articleAsMarkdown(title: string, url: string, views: readonly TextView[]): Promise<string> {
  const texts = await Promise.all(views.map(({ html }) => writeMarkdown(html)));
  const text = [`# ${title.replaceAll(/\s+/g, " ")}`, `<${url}>`, ...texts].join("\n\n");
  return `${text.trimEnd()}\n`;
}
