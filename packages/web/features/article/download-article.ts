// SPDX-License-Identifier: MIT

import type { TextView } from "@reading-list/client/main.ts";
import { writeMarkdown } from "@reading-list/core/domain/markdown.ts";
import { fileNameOf, saveFile } from "../../kit/save-file.ts";

/** Saves the pages of an article that are loaded as a file of Markdown, with its title and address. */
export async function downloadMarkdown(title: string, url: string, views: readonly TextView[]): Promise<void> {
  const texts = await Promise.all(views.map(({ html }) => writeMarkdown(html)));
  const text = [`# ${title.replaceAll(/\s+/g, " ")}`, `<${url}>`, ...texts].join("\n\n");
  saveFile(fileNameOf(title, "md"), new Blob([`${text.trimEnd()}\n`], { type: "text/markdown" }));
}
