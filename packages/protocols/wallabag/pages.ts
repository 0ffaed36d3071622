// SPDX-License-Identifier: MIT

import { defineFixedRoute } from "@reading-list/http/api.ts";
import type { HttpAnswer } from "@reading-list/http/call.ts";

/** The id and the secret of a client if the user has no API key for it. */
const client = "public";

const writePage = (title: string, body: string) => (): HttpAnswer => ({
  status: 200,
  headers: {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": "default-src 'none'",
    "X-Content-Type-Options": "nosniff",
  },
  body: `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title></head><body>${body}</body></html>`,
});

/**
 * If a page has this image and link, the Android app assumes that the user is signed in, and continues to the clients.
 */
const mark = '<img alt="wallabag logo" /><a href="/logout">Log out</a>';

const home = writePage(
  "wallabag API",
  `${mark}<p>This is the wallabag API of a reading-list service, for apps that support wallabag. In the app, enter the address of this page as the server. <a href="developer">Client id and secret</a>.</p>`,
);

/** The page from which the Android app and wallabagger read the id and the secret of a client. */
const developer = writePage(
  "wallabag API: clients",
  `${mark}<ul><li><div class="collapsible-header">Android app - #1</div><div class="collapsible-body"><table>` +
    `<tr><td>Client id</td><td><strong><code>${client}</code></strong></td></tr>` +
    `<tr><td>Client secret</td><td><strong><code>${client}</code></strong></td></tr>` +
    `<tr><td>Redirect URIs</td><td><strong><code>-</code></strong></td></tr>` +
    `<tr><td>Grant types</td><td><strong><code>password refresh_token</code></strong></td></tr></table>` +
    `<p>Every app can use this one.</p><!-- /developer/client/delete/1 --></div></li></ul>`,
);

/** The page from which the Android app reads the client that it has created. */
const created = writePage(
  "wallabag API: new client",
  `${mark}<form><input type="hidden" id="client__token" name="client[_token]" value="none" /></form>` +
    `<ul><li>Client name: <strong><pre>Android app</pre></strong></li>` +
    `<li>Client id: <strong><pre>${client}</pre></strong></li>` +
    `<li>Client secret: <strong><pre>${client}</pre></strong></li></ul>`,
);

/** Pages that apps read to find the id of a client. They are the same for everybody. */
export const pageRoutes = [
  defineFixedRoute("GET /", home),
  defineFixedRoute("GET /developer", developer),
  defineFixedRoute("GET /developer/client/create", created),
  defineFixedRoute("POST /developer/client/create", created),
];
