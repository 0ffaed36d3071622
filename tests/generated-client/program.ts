import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.ts";

/**
 * Makes calls with each kind of parameter and answer in docs/openapi.json with a client that is generated from it. Arguments: the addresses of the main
 * host, the text host and a page, and an API key. Prints a line for each call.
 */
const [baseUrl = "", textUrl = "", pageUrl = "", apikey = ""] = process.argv.slice(2);

/** The form encoding of the document: entries are JSON. */
const encode = (parameters: unknown) =>
  new URLSearchParams(
    Object.entries(parameters as object).map(([name, value]) => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  );
const options = {
  headers: { "Content-Type": "application/x-www-form-urlencoded" },
  bodySerializer: encode,
  querySerializer: (query: unknown) => encode(query).toString(),
};
const main = createClient<paths, "application/json">({ baseUrl, ...options });
const text = createClient<paths, "application/json">({ baseUrl: textUrl, ...options });

const parseAs = "text" as const;
const url = "https://example.com/articles/1";

for (const [method, username] of [
  ["POST", "ann"],
  ["GET", "ben"],
] as const) {
  const user = { apikey, username, password: "secret" };
  const say = (name: string, answer: { response: Response; error?: unknown }) => {
    assert.equal(answer.response.status, 200, `${method} ${name}: ${answer.response.headers.get("x-error")}`);
    assert.equal(answer.response.headers.get("status"), "200 OK");
    console.log(`${method} ${name}`);
  };
  const isPost = method === "POST";

  const signup = isPost
    ? await main.POST("/v2/signup", { body: user, parseAs })
    : await main.GET("/v2/signup", { params: { query: user }, parseAs });
  say("signup", signup);
  assert.equal(signup.data, "200 OK");

  const page: components["schemas"]["AddForm"] = { ...user, url, title: "An article", tags: "news" };
  say(
    "add",
    isPost
      ? await main.POST("/v2/add", { body: page, parseAs })
      : await main.GET("/v2/add", { params: { query: page }, parseAs }),
  );

  const entry: components["schemas"]["NewEntry"] = { url: "https://example.org/", title: null };
  const entries = {
    new: [entry, { url: "https://example.net/" }],
    read: { 0: { url } },
    update_title: [{ url, title: "A better title" }],
    update_tags: [{ url: "https://example.org/", tags: "a,b" }],
    delete: [{ url: "https://example.net/" }],
  } satisfies Partial<components["schemas"]["SendForm"]>;
  const { new: additions, read, update_title, update_tags, delete: deletions } = entries;
  // The generator takes a JSON parameter of a query string for its text.
  const entriesAsText = {
    new: JSON.stringify(additions),
    read: JSON.stringify(read),
    update_title: JSON.stringify(update_title),
    update_tags: JSON.stringify(update_tags),
    delete: JSON.stringify(deletions),
  };
  say(
    "send",
    isPost
      ? await main.POST("/v2/send", { body: { ...user, ...entries }, parseAs })
      : await main.GET("/v2/send", { params: { query: { ...user, ...entriesAsText } }, parseAs }),
  );

  const wanted: components["schemas"]["GetForm"] = { ...user, tags: "1", deleted: "1", state: "", count: "10" };
  const got = isPost
    ? await main.POST("/v2/get", { body: wanted })
    : await main.GET("/v2/get", { params: { query: wanted } });
  say("get", got);
  assert(got.data);
  const items = Object.values(got.data.list);
  const states: ("0" | "1")[] = items.map(({ state }) => state);
  assert.deepEqual(states.sort(), ["0", "1"]);
  const tagged = items.find((item) => item.url === entry.url);
  assert.equal(tagged?.tags, "a,b");
  assert.equal(got.data.complete, "1");
  assert.deepEqual(got.data.deleted, {});

  const view = { apikey, url: pageUrl, mode: "less", images: "0" } as const;
  const viewed = isPost
    ? await text.POST("/v2/text", { body: view, parseAs })
    : await text.GET("/v2/text", { params: { query: view }, parseAs });
  say("text", viewed);
  assert.match(viewed.data ?? "", /^<div>/);
}

const { response } = await main.POST("/v2/api", { body: { apikey: "unknown-key" } });
assert.equal(response.status, 401);
assert.equal(response.headers.get("x-error"), "apikey is not known");

// A call that does not follow the interface does not compile.
// @ts-expect-error: `state` is one of three values.
const wrong: components["schemas"]["GetForm"] = { apikey, username: "ann", password: "secret", state: "archived" };
void wrong;
