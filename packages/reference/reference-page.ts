import path from "node:path";

/** The texts that the page is made of are here, and not in files, because the stacks are bundled into one file. */
const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Reading list API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/reference/swagger-ui.css">
</head>
<body>
<main id="reference"></main>
<script src="/reference/swagger-ui-bundle.js"></script>
<script src="/reference/initialize.js"></script>
</body>
</html>
`;

/** The path of the OpenAPI document on the main host. */
const documentPath = "/openapi.json";

/** Shows each operation by POST, and leaves GET, which is for old clients, collapsed. */
const script = `const ui = SwaggerUIBundle({
  url: "${documentPath}",
  dom_id: "#reference",
  validatorUrl: null,
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  onComplete() {
    for (const { post } of Object.values(ui.specSelectors.specJson().get("paths").toJS())) {
      ui.layoutActions.show(["operations", post.tags[0], post.operationId], true);
    }
  },
});
`;

/** A file of the reference page: its text, or the path of a file in the project. */
export interface ReferenceFile {
  /** Path of its URL on the main host. */
  urlPath: string;
  contentType: string;
  text?: string;
  /** Relative to the root of the project. */
  source?: string;
}

const swaggerUi = "node_modules/swagger-ui-dist";
const javaScript = "text/javascript; charset=utf-8";

/** Every file of the reference page but the OpenAPI document. */
export const referenceFiles: readonly ReferenceFile[] = [
  { urlPath: "/", contentType: "text/html; charset=utf-8", text: html },
  { urlPath: "/reference/initialize.js", contentType: javaScript, text: script },
  {
    urlPath: "/reference/swagger-ui-bundle.js",
    contentType: javaScript,
    source: path.join(swaggerUi, "swagger-ui-bundle.js"),
  },
  {
    urlPath: "/reference/swagger-ui.css",
    contentType: "text/css; charset=utf-8",
    source: path.join(swaggerUi, "swagger-ui.css"),
  },
];

/** The OpenAPI document in the project. */
export const openApiFile = "docs/openapi.json";

/** Where the page finds the document. */
export const documentFile: ReferenceFile = { urlPath: documentPath, contentType: "application/json; charset=utf-8" };

/** The OpenAPI document as the page shows it, with the addresses of this service. `openApi` is the JSON in the project. */
export function referenceDocument(openApi: string, textUrl: string): string {
  const document = JSON.parse(openApi);
  document.servers = [{ url: "/", description: "The main host" }];
  for (const path of Object.values<{ servers?: object[] }>(document.paths)) {
    if (path.servers) path.servers = [{ url: textUrl, description: "The text host" }];
  }
  return JSON.stringify(document);
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
