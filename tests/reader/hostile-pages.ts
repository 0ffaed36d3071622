import { prose } from "./page-server.ts";

/** Pages that try to cost much: each is just below the reader's limit of 5 MB, or has what some parser is slow on. */
export const costlyPages: Record<string, string> = {
  "100,000 nested elements": `${"<div>".repeat(100_000)}${prose}`,
  "100,000 nested formatting elements": `${"<b><i>".repeat(50_000)}${prose}`,
  "1,000 nested elements, again and again": `${"<div>".repeat(1000)}x${"</div>".repeat(1000)}`.repeat(100) + prose,
  "nested tables": `${"<table><tr><td>".repeat(20_000)}${prose}`,
  "text that tables throw out": `<table>${"x<tr>".repeat(200_000)}</table>${prose}`,
  "5 MB of attributes": `<p ${Array.from({ length: 400_000 }, (_, n) => `a${n}=1`).join(" ")}>${prose}`,
  "one attribute of 5 MB": `<p class="${"a ".repeat(2_400_000)}">${prose}`,
  "one srcset of 4 MB": `<img srcset="${"a 1x, ".repeat(700_000)}">${prose}`,
  "lazy images": `<img data-src="a.jpg 1x" class="lazy">`.repeat(60_000) + prose,
  "a million empty elements": `<p>${"<i></i>".repeat(700_000)}${prose}`,
  "a million characters of one word": `<p>${"a".repeat(4_900_000)}`,
  "spaces without end": `<title>${" ".repeat(2_000_000)}x</title><p>${" ".repeat(2_800_000)}x`,
  "unclosed tags and quotes": `<a href="${"<a href='".repeat(400_000)}`,
  "comments that never end": `${"<!--".repeat(1_000_000)}`,
  "meta properties": `${'<meta property="og:a og:b og:c og:d" content="x">'.repeat(90_000)}${prose}`,
  "nested JSON": `<script type="application/ld+json">${"[".repeat(2_000_000)}</script>${prose}`,
  "headings and links": `${'<h2><a href="?page=2">2</a></h2>'.repeat(140_000)}${prose}`,
  "password fields": `${"<form><input type=password></form>".repeat(130_000)}${prose}`,
  "line breaks": `<p>${"x<br><br>".repeat(500_000)}${prose}`,
  entities: `<p>${"&notanentity&amp".repeat(300_000)}${prose}`,
};
