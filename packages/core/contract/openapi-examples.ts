import type { EndpointName } from "./endpoints.ts";

/**
 * A call and the body of its response. Tests make each call, so the bodies are what the service answers, at the time
 * `exampleTime`.
 */
export interface Example {
  status: number;
  /** Of a success that has a choice. */
  format?: "json" | "xml";
  summary: string;
  parameters: Record<string, unknown>;
  body: unknown;
}

/** Unix time at which the examples happen. */
export const exampleTime = 1_700_000_000;

/** Identifies an example among those of its endpoint; the example of a request and of its response have one name. */
export const nameOf = ({ status, format }: Example) => (format === undefined ? `${status}` : `${status}-${format}`);

/** Parameters that get a call refused, whatever the endpoint. */
const unknownKey = "unknown-key";
export const disabledKey = "disabled-key";
export const maintenanceText = "Back at 14:00 UTC.";

const key = { apikey: "local-dev-key" };
const user = { ...key, username: "ann", password: "secret" };
const page = "https://example.com/articles/1";

const ok = (parameters: Example["parameters"]): Example => ({
  status: 200,
  summary: "Done",
  parameters,
  body: "200 OK",
});

interface Mistake {
  parameters: Example["parameters"];
  error: string;
}

/** The errors of an endpoint whose valid call has these parameters. */
function errorsOf(name: EndpointName, parameters: Example["parameters"], mistake: Mistake, refused: Mistake) {
  const error = (status: number, statusText: string, summary: string, { parameters, error }: Mistake): Example => ({
    status,
    summary,
    parameters,
    body: `${status} ${statusText}\n${error}`,
  });
  const [here, there] = name === "text" ? ["text", "main"] : ["main", "text"];
  const urlOf = { main: "{base_url}", text: "{text_url}" } as Record<string, string>;
  return [
    error(400, "Bad Request", "A mistake in a parameter", mistake),
    error(401, "Unauthorized", "Wrong credentials", refused),
    error(403, "Forbidden", "A disabled API key", {
      parameters: { ...parameters, apikey: disabledKey },
      error: "apikey was disabled",
    }),
    error(404, "Not Found", "A call of the wrong host", {
      parameters,
      error: `/v2/${name} is on the ${here} host (${urlOf[here]}), not on the ${there} host (${urlOf[there]})`,
    }),
    error(503, "Service Unavailable", "Maintenance", { parameters, error: maintenanceText }),
  ];
}

const without = (parameters: Example["parameters"], name: string) =>
  Object.fromEntries(Object.entries(parameters).filter(([each]) => each !== name));

/** A call for a user with a wrong password. */
const wrongPassword = (parameters: Example["parameters"]): Mistake => ({
  parameters: { ...parameters, password: "wrong" },
  error: "username and/or password incorrect",
});
const missing = (name: EndpointName, parameters: Example["parameters"], parameter: string): Mistake => ({
  parameters: without(parameters, parameter),
  error: `${name}: ${parameter} is missing`,
});
const wrongKey = (parameters: Example["parameters"]): Mistake => ({
  parameters: { ...parameters, apikey: unknownKey },
  error: "apikey is not known",
});

const addition = { ...user, url: page, title: "An article", tags: "news,harbour" };
const changes = {
  ...user,
  new: [{ url: "https://example.org/", title: "Another page" }],
  read: [{ url: page }],
  update_title: [{ url: page, title: "An article" }],
  update_tags: [{ url: "https://example.org/", tags: "later" }],
  delete: [{ url: "https://example.net/" }],
};
const list = { ...user, since: "0", tags: "1" };
const view = { ...key, url: page };

const paragraph =
  "The harbour, which had been closed since the storm, was opened again on Monday morning; fishermen, traders and the " +
  "mayor of the town were there, and all of them agreed that it had taken too long.";

/** The page of which the example of `text` is the text; a test serves it. */
export const examplePage =
  "<!doctype html><html><head><title>The harbour is open</title></head><body><nav><a href='/'>Home</a></nav>" +
  `<article><h1>The harbour is open</h1><p>${paragraph}</p></article></body></html>`;

/** The examples of each endpoint, in an order in which they can be called: a user signs up, saves pages, and so on. */
export const examples: Record<EndpointName, readonly Example[]> = {
  signup: [
    ok(user),
    ...errorsOf("signup", user, missing("signup", user, "password"), {
      parameters: user,
      error: "username is already taken; choose another one",
    }),
  ],
  auth: [ok(user), ...errorsOf("auth", user, missing("auth", user, "username"), wrongPassword(user))],
  add: [
    ok(addition),
    ...errorsOf(
      "add",
      addition,
      { parameters: { ...addition, url: "example.com" }, error: "add: url is not an http(s) URL" },
      wrongPassword(addition),
    ),
  ],
  send: [
    ok(changes),
    ...errorsOf(
      "send",
      changes,
      { parameters: { ...changes, read: { 0: {} } }, error: "send: read.0.url is missing" },
      wrongPassword(changes),
    ),
  ],
  get: [
    {
      status: 200,
      format: "json",
      summary: "A first sync, with tags",
      parameters: list,
      body: {
        status: "1",
        since: "1700000000",
        complete: "1",
        list: {
          "3397783598820896": {
            item_id: "3397783598820896",
            url: "https://example.com/articles/1",
            title: "An article",
            time_updated: "1700000000",
            time_added: "1700000000",
            tags: "news,harbour",
            state: "1",
          },
          "2844389885632653": {
            item_id: "2844389885632653",
            url: "https://example.org/",
            title: "Another page",
            time_updated: "1700000000",
            time_added: "1700000000",
            tags: "later",
            state: "0",
          },
        },
      },
    },
    {
      status: 200,
      format: "xml",
      summary: "The same as XML",
      parameters: { ...list, format: "xml" },
      body:
        '<?xml version="1.0" encoding="UTF-8"?><response><status>1</status><since>1700000000</since><complete>1</complete>' +
        "<list><item><item_id>3397783598820896</item_id><url>https://example.com/articles/1</url><title>An article</title>" +
        "<time_updated>1700000000</time_updated><time_added>1700000000</time_added><tags>news,harbour</tags><state>1</state></item>" +
        "<item><item_id>2844389885632653</item_id><url>https://example.org/</url><title>Another page</title>" +
        "<time_updated>1700000000</time_updated><time_added>1700000000</time_added><tags>later</tags><state>0</state></item>" +
        "</list></response>",
    },
    ...errorsOf(
      "get",
      list,
      { parameters: { ...list, count: "0" }, error: "get: count must be at least 1" },
      wrongPassword(list),
    ),
  ],
  stats: [
    {
      status: 200,
      format: "json",
      summary: "The counts of a list",
      parameters: user,
      body: { user_since: "1700000000", count_list: "2", count_unread: "1", count_read: "1" },
    },
    {
      status: 200,
      format: "xml",
      summary: "The same as XML",
      parameters: { ...user, format: "xml" },
      body:
        '<?xml version="1.0" encoding="UTF-8"?><response><user_since>1700000000</user_since>' +
        "<count_list>2</count_list><count_unread>1</count_unread><count_read>1</count_read></response>",
    },
    ...errorsOf(
      "stats",
      user,
      { parameters: { ...user, format: "yaml" }, error: "stats: format must be json or xml" },
      wrongPassword(user),
    ),
  ],
  text: [
    {
      status: 200,
      summary: "The article of a page",
      parameters: view,
      body: `<div><article><p>${paragraph}</p></article></div>`,
    },
    ...errorsOf("text", view, missing("text", view, "url"), wrongKey(view)),
  ],
  api: [ok(key), ...errorsOf("api", key, missing("api", key, "apikey"), wrongKey(key))],
};
