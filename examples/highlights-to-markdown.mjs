// SPDX-License-Identifier: MIT

// Writes all highlights as Markdown, page by page:
//   BASE_URL=https://host API_KEY=… USERNAME=ann PASSWORD=… node examples/highlights-to-markdown.mjs > highlights.md
import { ReadingListClient } from "@reading-list/client";

const { BASE_URL: baseUrl = "http://127.0.0.1:3000", API_KEY: apiKey = "local-dev-key" } = process.env;
const client = new ReadingListClient({
  baseUrl,
  apiKey,
  username: process.env.USERNAME,
  password: process.env.PASSWORD,
});
const { highlights } = await client.highlights();
const titles = new Map((await client.get()).items.map(({ itemId, title }) => [itemId, title]));
const inLine = (text) => text.replaceAll(/\s+/g, " ").replaceAll(/[\\[\]<>*_`]/g, "\\$&");
for (const [itemId, marks] of Map.groupBy(highlights, (highlight) => highlight.itemId)) {
  console.log(`## [${inLine(titles.get(itemId) ?? marks[0].url)}](<${marks[0].url}>)\n`);
  for (const { quote, note } of marks.sort((a, b) => (a.position ?? 0) - (b.position ?? 0))) {
    console.log(`> ${inLine(quote)}\n`);
    if (note) console.log(`${inLine(note)}\n`);
  }
}
