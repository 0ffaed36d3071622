// SPDX-License-Identifier: MIT

import { startPageServer } from "@reading-list/testing/page-server.ts";

/** A text host that records the pages that clients send, and forwards all calls to the real one. */
export interface RecordedTexts {
  origin: string;
  /** The `html` of each call of `article`; undefined for a call without one. */
  pages: (string | undefined)[];
  stop(): void;
}

/** `textUrl` returns the address of the real text host at the time of a call. */
export async function recordTexts(textUrl: () => string): Promise<RecordedTexts> {
  const pages: (string | undefined)[] = [];
  const server = await startPageServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const { "content-type": type = "", origin = "" } = request.headers;
    const headers = { "content-type": type, origin };
    const form = await new Response(body, { headers }).formData();
    pages.push(form.get("html")?.toString());
    const answer = await fetch(textUrl() + request.url, { method: "POST", body, headers }).catch(() => undefined);
    if (!answer) return void response.destroy();
    const { "content-encoding": _, "content-length": __, ...others } = Object.fromEntries(answer.headers);
    response.writeHead(answer.status, others).end(await answer.text());
  });
  return { ...server, pages };
}

/** Replies to a visitor who is logged in: a page with all that must not leave the browser. */
export const membersPage = (prose: string) => `<!doctype html><html><head><title>For members</title>
<script>window.secret = "in a script"</script></head><body onload="document.title = 'For members'">
<nav><a href="/">Home</a></nav><article><h1>For members</h1>${prose}
<p>Only members read that <a href="more?page=2" onclick="track('a click')">the harbour has a secret entrance</a>.</p></article>
<form action="/comments?session=in-an-address"><input type="hidden" name="token" value="in a hidden field">
<input id="typed" value="in a field"><textarea id="draft">in a draft</textarea>
<select><option value="in an option">One</option></select></form>
<a href=" java&#10;script:track('in a link')">Track</a><iframe srcdoc="<p>in a frame</p>"></iframe>
<script type="module">document.querySelector("#typed").value = "typed by the user";
document.querySelector("#draft").value = "a draft by the user";</script></body></html>`;

/** No page that leaves the browser contains one of these. */
export const secrets = /<script|secret = |onload|onclick|javascript|srcdoc|by the user|in an? \w/;
