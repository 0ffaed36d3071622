// SPDX-License-Identifier: MIT

import { readFile } from "node:fs/promises";

const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Reading list API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="swagger-ui.css">
</head>
<body>
<main id="reference"></main>
<script src="swagger-ui-bundle.js"></script>
<script src="initialize.js"></script>
</body>
</html>
`;

/** Operations are collapsed: showing all of them takes a browser seconds. */
const script = `SwaggerUIBundle({
  url: "../openapi.json",
  dom_id: "#reference",
  validatorUrl: null,
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
});
`;

const root = new URL("../../", import.meta.url);
const readFrom = (folder: string, name: string) => readFile(new URL(`${folder}/${name}`, root));
const javaScript = "text/javascript; charset=utf-8";

/** Every file of the reference page but the OpenAPI document, `openapi.json`; `urlPath` is on the main host. */
export const referenceFiles = [
  { urlPath: "/reference/", contentType: "text/html; charset=utf-8", read: async () => Buffer.from(html) },
  { urlPath: "/reference/initialize.js", contentType: javaScript, read: async () => Buffer.from(script) },
  ...[
    { name: "swagger-ui-bundle.js", contentType: javaScript },
    { name: "swagger-ui.css", contentType: "text/css; charset=utf-8" },
  ].map(({ name, contentType }) => ({
    urlPath: `/reference/${name}`,
    contentType,
    read: () => readFrom("node_modules/swagger-ui-dist", name),
  })),
];

/** The OpenAPI document as the page shows it, with the addresses of this service. `mainUrl` may be a path of its host. */
export async function referenceDocument(mainUrl: string, textUrl: string): Promise<Buffer> {
  const document = JSON.parse((await readFrom("docs", "openapi.json")).toString());
  document.servers = [{ url: mainUrl, description: "The main host" }];
  for (const path of Object.values<{ servers?: object[] }>(document.paths)) {
    if (path.servers) path.servers = [{ url: textUrl, description: "The text host" }];
  }
  return Buffer.from(JSON.stringify(document));
}

/** How long browsers may keep a file: a new version of the service has the same names. */
export const referenceCacheControl = "public, max-age=300";

/** The page may load from and call its own host, and the text host to try `text`. */
export const referenceSecurityPolicy = (textUrl: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src 'self' ${new URL(textUrl).origin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
