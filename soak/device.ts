import { guessesAllowed } from "@reading-list/core/domain/limits.ts";
import type { ItemAnswer, ListAnswer } from "../tests/service.ts";
import type { Form } from "./call.ts";
import { type Call, Caller, type Surroundings } from "./caller.ts";
import { below, oneByShare, oneOf, someOf } from "./chance.ts";
import type { ListModel, PageContent } from "./list-model.ts";
import { pageCount, sentenceOf } from "./pages.ts";
import { itemsOf, Replica } from "./replica.ts";

/** What a device does, in the shares of a service whose clients mostly ask whether there is anything new. */
const shares = {
  sync: 66,
  add: 12,
  send: 6,
  auth: 3,
  text: 3,
  stats: 2,
  walk: 2,
  api: 2,
  malformed: 2,
  guess: 1,
  signup: 0.5,
};

/** URLs that a device saves, again and again, so that lists stay as long as they are. */
const urlsOfDevice = 15;

const tags = ["news", "later", "ü", "long tag", "a&b"];
const newTitle = () => `${oneOf(["Grüße aus", "The harbour of", "«漢字» & <b>", 'A "quoted"'])} ${below(1000)}`;

/** Calls that follow no interface, and what they are refused with. */
const malformedCalls: readonly Omit<Call, "kind">[] = [
  { endpoint: "get", form: { since: "yesterday" }, statuses: [400] },
  { endpoint: "get", form: { count: "0" }, statuses: [400] },
  { endpoint: "add", statuses: [400] },
  { endpoint: "add", form: { url: "ftp://example.com/" }, statuses: [400] },
  { endpoint: "send", form: { new: "{" }, statuses: [400] },
  { endpoint: "send", form: { read: '{"0":{}}' }, statuses: [400] },
  { endpoint: "auth", form: { username: "UPPER" }, statuses: [400] },
  { endpoint: "auth", contentType: "application/json", statuses: [400] },
  { endpoint: "auth", form: { apikey: "nobody's" }, statuses: [401] },
  { endpoint: "nothing", statuses: [404] },
];

/** One of a user's devices: it changes URLs of its own, and keeps a replica of the whole list. */
export class Device {
  readonly #around: Surroundings;
  readonly #caller: Caller;
  readonly #guesser: Caller | undefined;
  readonly #model: ListModel;
  readonly #urls: readonly string[];
  readonly #replica = new Replica();
  #guesses = 0;

  /** `number` tells it from the user's other devices; only the first one's user is also guessed at. */
  constructor(around: Surroundings, credentials: Form, model: ListModel, number: number) {
    const { devices, guesser } = around.agents;
    const agent = devices[number];
    if (!agent) throw new Error(`there is no address for device ${number}`);
    this.#around = around;
    this.#caller = new Caller(around, agent, credentials);
    this.#guesser = number === 0 ? new Caller(around, guesser, { ...credentials, password: "a wrong one" }) : undefined;
    this.#model = model;
    this.#urls = Array.from({ length: urlsOfDevice }, (_, i) => `https://news.example/${number}/article-${i}?a=1&b=2`);
  }

  async act(): Promise<void> {
    const what = oneByShare(shares);
    if (what === "sync" || what === "add" || what === "send" || what === "walk") return this[what]();
    if (what === "text") return this.#readText();
    if (what === "malformed") return this.#ask({ kind: what, ...oneOf(malformedCalls) });
    if (what === "guess") return this.#guess();
    if (what === "signup") return this.#signUp();
    return this.#ask({ kind: what, endpoint: what });
  }

  /** Brings the replica up to date; it must then show what was acknowledged before. */
  async sync(): Promise<void> {
    const begin = performance.now();
    const form = { since: this.#replica.since, tags: "1" };
    const { body } = await this.#caller.call({ kind: "get since", endpoint: "get", form });
    this.#replica.take(JSON.parse(body));
    this.#replica.check(this.#model, begin, performance.now());
  }

  /** The whole list must be what the replica is. */
  compare(items: readonly ItemAnswer[]): void {
    this.#replica.compare(items);
  }

  async add(): Promise<void> {
    const url = oneOf(this.#urls);
    const title = below(2) ? newTitle() : undefined;
    const acknowledge = this.#model.change(new Map([[url, added(this.#model.contentOf(url), url, title)]]));
    await this.#ask({ kind: "add", endpoint: "add", form: { url, ...(title && { title }) } });
    acknowledge();
  }

  async send(): Promise<void> {
    const withTitle = (url: string) => ({ url, title: newTitle() });
    const entries = {
      new: someOf(this.#urls, 3).map(withTitle),
      read: someOf(this.#urls, 4).map((url) => ({ url })),
      update_title: someOf(this.#urls, 2).map(withTitle),
      update_tags: someOf(this.#urls, 3).map((url) => ({ url, tags: [...new Set(someOf(tags, 3))].join(",") })),
    };
    const contents = new Map<string, PageContent>();
    const now = (url: string) => contents.get(url) ?? this.#model.contentOf(url);
    const change = (url: string, part: Partial<PageContent>) => {
      const content = now(url);
      if (content) contents.set(url, { ...content, ...part });
    };
    for (const { url, title } of entries.new) contents.set(url, added(now(url), url, title));
    for (const { url } of entries.read) change(url, { state: "1" });
    for (const { url, title } of entries.update_title) change(url, { title });
    for (const { url, tags } of entries.update_tags) change(url, { tags });
    const acknowledge = this.#model.change(contents);
    const asJson = ([name, list]: [string, object[]]) => [name, JSON.stringify(below(2) ? list : { ...list })];
    await this.#ask({ kind: "send", endpoint: "send", form: Object.fromEntries(Object.entries(entries).map(asJson)) });
    acknowledge();
  }

  /** Fetches the list page by page and begins a new replica with it, from the `since` of any of the pages. */
  async walk(): Promise<void> {
    const begin = performance.now();
    const count = 4 + below(10);
    const items: ItemAnswer[] = [];
    const sinces: string[] = [];
    for (let page = 1, isLast = false; !isLast; page++) {
      const form = { count: String(count), page: String(page), tags: "1" };
      const { body } = await this.#caller.call({ kind: "get pages", endpoint: "get", form });
      const onPage = itemsOf(body);
      items.push(...onPage);
      sinces.push((JSON.parse(body) as ListAnswer).since);
      isLast = onPage.length < count;
    }
    const seen = new Set(items.map(({ url }) => url));
    const skipped = this.#model
      .urls()
      .find((url) => !seen.has(url) && this.#model.contentOf(url) && this.#model.isUntouchedSince(url, begin));
    if (skipped) throw new Error(`get pages: ${skipped} is on no page`);
    this.#replica.restart(items, oneOf(sinces));
    await this.sync();
  }

  async #readText(): Promise<void> {
    const { pageOrigin } = this.#around;
    const page = 1 + below(pageCount);
    const wrong = oneOf([`${pageOrigin}/missing`, "http://10.1.2.3/"]);
    if (below(8) === 0)
      return this.#ask({ kind: "text, refused", endpoint: "text", form: { url: wrong }, statuses: [400] });
    const form = { url: `${pageOrigin}/${page}`, mode: oneOf(["", "more"]) };
    const { headers, body } = await this.#caller.call({ kind: "text", endpoint: "text", form });
    const isRight = body.includes(sentenceOf(page)) && headers["x-title"] === `Page ${page}`;
    if (!isRight) throw new Error(`text: not the text of page ${page}`);
  }

  async #guess(): Promise<void> {
    // The brake ends a quarter of an hour after the first guess.
    const statuses = this.#guesses++ < guessesAllowed ? [401] : [401, 403];
    await this.#guesser?.call({ kind: "wrong password", endpoint: "auth", statuses });
  }

  async #signUp(): Promise<void> {
    const username = `new-${Math.random().toString(36).slice(2, 14)}`;
    if (below(2)) return this.#ask({ kind: "signup, taken", endpoint: "signup", statuses: [401] });
    return this.#ask({ kind: "signup", endpoint: "signup", form: { username } });
  }

  async #ask(call: Call): Promise<void> {
    const { status, body } = await this.#caller.call(call);
    const isInWords = status !== 200 || call.endpoint !== "stats";
    if (isInWords && !body.startsWith(`${status} `)) throw new Error(`${call.kind}: the body is ${body.slice(0, 100)}`);
  }
}

const added = (before: PageContent | undefined, url: string, title: string | undefined): PageContent => ({
  title: title ?? before?.title ?? url,
  tags: before?.tags ?? "",
  state: "0",
});
