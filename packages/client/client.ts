// SPDX-License-Identifier: MIT

import { ApiError, type Limits } from "./api-error.ts";
import { type Change, type PageDetails, writeAddition } from "./change.ts";
import {
  firstHighlights,
  type HighlightChange,
  type HighlightList,
  type HighlightQuery,
  parseHighlights,
  type RejectedHighlight,
  refusedHighlight,
  writeHighlightForm,
} from "./highlight.ts";
import {
  type ItemList,
  type ListFields,
  type ListQuery,
  parseDate,
  parseItems,
  parseSearchResult,
  parseTrash,
  type SearchFields,
  type SearchResult,
  type Stats,
  type TrashedItem,
} from "./item.ts";
import { type KeptChange, type KeptPages, type KeptQuery, parseKept, writeKeptForm } from "./kept-page.ts";
import { sendFirst } from "./send-changes.ts";
import type { Store } from "./store.ts";
import {
  type Comparison,
  type PushOptions,
  pushStore,
  type SyncCalls,
  type SyncedChanges,
  type SyncOptions,
  syncStore,
  verifyStore,
} from "./sync.ts";
import { type Answer, type CallOptions, type PostOptions, Transport, type TransportOptions } from "./transport.ts";

export interface ClientOptions extends TransportOptions {
  /** Address of the main service, such as `https://api.example.com`. */
  baseUrl: string;
  /** Address of the text view; required for `text`, `article` and `kept` only. */
  textUrl?: string | undefined;
  apiKey: string;
  /** Required for all calls but `text` and `api`. */
  username?: string | undefined;
  password?: string | undefined;
}

/** The scopes of an app password: everything except the account, only reading calls, only feeds. */
export type Scope = "full" | "read" | "feed";

/** A public link to an article or a tag (docs/api.md 4.17). */
export interface Share {
  id: string;
  address: string;
  /** One of `url` and `tag`. */
  url: string | undefined;
  tag: string | undefined;
  /** `unconfirmed`: off since a backup was restored. `unavailable`: the page is in the trash. */
  state: "open" | "unconfirmed" | "expired" | "unavailable";
  /** Undefined if it never expires. */
  expiresAt: Date | undefined;
  createdAt: Date;
}

/** The limits of an app password; none if empty. */
export interface AppPasswordLimits {
  scope?: Scope | undefined;
  /** Must be in the future. */
  expiresAt?: Date | undefined;
}

/** An app password of the user, or the sign-in of an app, which may have access only to the `profile`. */
export interface AppPassword {
  id: string;
  name: string;
  scope: Scope | "profile";
  /** Undefined if it never expires. */
  expiresAt: Date | undefined;
  createdAt: Date;
  /** The day (UTC) of its last use; undefined for never. */
  usedAt: Date | undefined;
}

/** The endpoints of operators, on one machine only (docs/api.md 13). */
export type OperatorEndpoint =
  | "users"
  | "links"
  | "keys"
  | "maintenance"
  | "backups"
  | "state"
  | "checks"
  | "shares"
  | "mail";

/** An answer to an operator: its fields, and its entries in order. */
export interface OperatorAnswer {
  fields: Record<string, string>;
  list: Record<string, string>[];
}

export interface SendOptions extends CallOptions {
  /** Called after each request with the number of changes that were applied. To resume, send the changes after them. */
  onSent?: ((count: number) => void) | undefined;
}

export interface StatsOptions extends CallOptions {
  /** Count kept articles, too. */
  articles?: boolean | undefined;
}

/** Which part of the trash to list; all of it if empty. */
export interface TrashOptions extends CallOptions {
  /** Items on a page. */
  count?: number | undefined;
  /** From 1; only with `count`. */
  page?: number | undefined;
}

export interface SearchOptions extends CallOptions {
  /** The last word, of 3 characters or more, may be the beginning of one. */
  prefix?: boolean | undefined;
  /** Default: `best`. */
  sort?: "best" | "newest" | undefined;
  /** Items on a page, up to 100. Default: 10. */
  count?: number | undefined;
  /** From 1. */
  page?: number | undefined;
}

export interface TextOptions extends CallOptions {
  /** `less` (default): the article only; `more`: more of the page around it. */
  mode?: "less" | "more" | undefined;
  /** Keep images. Default: false. */
  images?: boolean | undefined;
}

export interface ArticleOptions extends Omit<TextOptions, "images"> {
  /** `kept`: only saved pictures, at addresses of the service that work for one to two weeks. */
  images?: boolean | "kept" | undefined;
  /** Read the page again. An empty view never replaces a kept one. */
  refresh?: boolean | undefined;
  /** The page as the user sees it, up to 4 MB of HTML, instead of the page that the service would read. */
  html?: string | undefined;
}

export interface TextView {
  /** A fragment of clean HTML; empty if the page has no article. */
  html: string;
  title: string | undefined;
  /** URL of the page after redirects. */
  resolvedUrl: string | undefined;
  /** URL of the next page of the article. */
  nextUrl: string | undefined;
  /** The page appears to contain a login form. */
  hasLogin: boolean;
  /** URL of the page's preview image. */
  imageUrl: string | undefined;
  /** Names, separated by ", ". */
  author: string | undefined;
  /** Time of publication in ISO 8601: a date, or a date and time in UTC. */
  publishedAt: string | undefined;
  /** Why text is missing, for example of a scanned PDF: a sentence for the reader. */
  notice: string | undefined;
}

export interface Article extends TextView {
  /** When it was kept; undefined if the page has no text. */
  keptAt: Date | undefined;
}

/**
 * Calls a v2 reading-list service, by POST only, so that no URL holds a password. All methods throw `ApiError`, or the
 * reason of their `signal`.
 *
 * @example
 * const client = new ReadingListClient({ baseUrl: "https://api.example.com", apiKey, username, password });
 * await client.add("https://example.com/", { tags: ["later"] });
 */
export class ReadingListClient {
  readonly #baseUrl: string;
  readonly #textUrl: string | undefined;
  readonly #apiKey: string;
  readonly #credentials: Record<string, string>;
  readonly #transport: Transport;
  /**
   * When a highlight was changed last, as of the last `get`; undefined before it, and on a service that has none.
   * `highlights` has something new while that is greater than the `since` that it has returned.
   */
  highlightsUpdated: number | undefined;

  constructor({ baseUrl, textUrl, apiKey, username, password, ...options }: ClientOptions) {
    this.#baseUrl = normaliseAddress("baseUrl", baseUrl);
    this.#textUrl = textUrl && normaliseAddress("textUrl", textUrl);
    this.#apiKey = apiKey;
    this.#credentials = { ...(username !== undefined && { username }), ...(password !== undefined && { password }) };
    this.#transport = new Transport(options);
  }

  /** The rate limits as of the last response; undefined before the first one. */
  get limits(): Limits | undefined {
    return this.#transport.limits;
  }

  /** Saves a page. A page that is in the list becomes unread and moves to the top. */
  async add(url: string, details: PageDetails = {}, options?: CallOptions): Promise<void> {
    await this.#call("add", writeAddition(url, details), options);
  }

  /**
   * Applies changes in order, in as few requests as possible, each of at most 1,000 changes and 4 MB. Each request is
   * applied as a whole if it changes up to 99 items; a longer request that failed halfway continues when it is
   * repeated. A service that does not support differences of tags (`TagsChange`) gets whole sets, computed from its
   * current tags.
   */
  async send(changes: readonly Change[], { onSent, ...options }: SendOptions = {}): Promise<void> {
    for (let sent = 0; sent < changes.length; ) {
      const outcome = await sendFirst(this.#syncCalls(options), changes.slice(sent, sent + 1000));
      if (outcome.kind === "refused") throw outcome.error;
      sent += outcome.length;
      onSent?.(sent);
    }
  }

  /** Deletes a page. A page that is not in the list is ignored. For 30 days `send` can `restore` it. */
  async delete(url: string, options?: CallOptions): Promise<void> {
    await this.send([{ kind: "delete", url }], options);
  }

  /** The deleted pages that can be restored, the one deleted last first. */
  async trash({ count, page, ...options }: TrashOptions = {}): Promise<TrashedItem[]> {
    const { body } = await this.#call("trash", writeNumbers({ count, page }), options);
    return parseTrash(JSON.parse(body) as ListFields);
  }

  /** Erases pages of the trash for good, or all of it. */
  async purge(urls: readonly string[] | "all", options?: CallOptions): Promise<void> {
    if (urls === "all") return void (await this.#call("trash", { purge: urls }, options));
    for (let start = 0; start < urls.length; start += purgedAtOnce) {
      const part = urls.slice(start, start + purgedAtOnce);
      await this.#call("trash", { purge: JSON.stringify(part) }, options);
    }
  }

  /** Retrieves highlights, or their changes (docs/api.md 4.14). */
  async highlights({ url, since, count, page }: HighlightQuery = {}, options?: CallOptions): Promise<HighlightList> {
    const form = { ...(url && { url }), ...writeNumbers({ since, count, page }) };
    return parseHighlights((await this.#call("highlights", form, options)).body);
  }

  /**
   * Saves and deletes highlights in order, in as few requests as possible. Sets aside the changes that the service
   * refuses, such as changes of pages that are not in the list, sends the others, and returns the refused ones. Throws
   * any other failure. To resume, send the changes after the number that `onSent` got.
   */
  async sendHighlights(
    changes: readonly HighlightChange[],
    { onSent, ...options }: SendOptions = {},
  ): Promise<RejectedHighlight[]> {
    const rejected: RejectedHighlight[] = [];
    for (let sent = 0; sent < changes.length; ) {
      let part = firstHighlights(changes.slice(sent));
      sent += part.length;
      while (part.length > 0) {
        try {
          await this.#call("highlights", writeHighlightForm(part), options);
          break;
        } catch (error) {
          const refused = refusedHighlight(error, part);
          if (!refused) throw error;
          rejected.push({ change: refused, message: (error as ApiError).message });
          part = part.filter((change) => change !== refused);
        }
      }
      onSent?.(sent);
    }
    return rejected;
  }

  async stats({ articles = false, ...options }: StatsOptions = {}): Promise<Stats> {
    const { body } = await this.#call("stats", articles ? { articles: "1" } : {}, options);
    const counts = JSON.parse(body) as Record<string, string>;
    const isCounted = counts.article_quota !== undefined;
    return {
      userSince: parseDate(counts.user_since ?? ""),
      countList: Number(counts.count_list),
      countUnread: Number(counts.count_unread),
      countRead: Number(counts.count_read),
      ...(isCounted && {
        articles: {
          count: Number(counts.articles),
          bytes: Number(counts.article_bytes),
          quota: Number(counts.article_quota),
        },
      }),
    };
  }

  /** Retrieves a list, or its changes. To keep a copy, use `sync`. */
  async get({ url, state, myAppOnly, since, count, page }: ListQuery = {}, options?: CallOptions): Promise<ItemList> {
    const form = {
      tags: "1",
      progress: "1",
      deleted: "1",
      ...(url && { url }),
      ...(state && { state }),
      ...(myAppOnly && { myAppOnly: "1" }),
      ...writeNumbers({ since, count, page }),
    };
    const { body } = await this.#call("get", form, options);
    const list = JSON.parse(body) as ListFields;
    this.highlightsUpdated = list.highlights_updated === undefined ? undefined : Number(list.highlights_updated);
    const deleted = Object.entries(list.deleted ?? {}).map(([id, time]) => [id, parseDate(time)]);
    return {
      items: parseItems(list),
      deleted: Object.fromEntries(deleted),
      since: Number(list.since),
      ...(list.highlights_updated !== undefined && { highlightsUpdated: Number(list.highlights_updated) }),
      isComplete: list.complete === "1",
      isUnchanged: list.status === "2",
    };
  }

  /**
   * Searches titles, texts and highlights of all pages (docs/api.md 4.15). Throws `notFound` on a service that has no
   * search, `invalid` for a query that cannot be read.
   */
  async search(query: string, { prefix, sort, count, page, ...options }: SearchOptions = {}): Promise<SearchResult> {
    const form = { query, ...(prefix && { prefix: "1" }), ...(sort && { sort }), ...writeNumbers({ count, page }) };
    const { body } = await this.#call("search", form, options);
    return parseSearchResult(JSON.parse(body) as SearchFields);
  }

  /** Verifies the username and the password. Other methods do not require it. */
  async auth(options?: CallOptions): Promise<void> {
    await this.#call("auth", {}, options);
  }

  /**
   * Creates an app password, and returns it this once: store it instead of the account's password. This method and the
   * four that follow need the account's own password; they throw `notFound` on a service that does not have them.
   */
  async createAppPassword(
    name: string,
    { scope, expiresAt, ...options }: CallOptions & AppPasswordLimits = {},
  ): Promise<{ id: string; password: string }> {
    const limits = {
      ...(scope && { scope }),
      ...(expiresAt && { expires: String(Math.floor(+expiresAt / 1000)) }),
    };
    const { body } = await this.#call("app_passwords", { create: name, ...limits }, options);
    const { id = "", password = "" } = JSON.parse(body) as Record<string, string>;
    return { id, password };
  }

  /** The app passwords of the user, the oldest first. */
  async appPasswords(options?: CallOptions): Promise<AppPassword[]> {
    const { body } = await this.#call("app_passwords", {}, options);
    const { list } = JSON.parse(body) as { list: Record<string, Record<string, string>> };
    const dateOrNever = (time: string) => (time === "0" ? undefined : parseDate(time));
    // A service of version 0.2 names neither scope nor end.
    return Object.values(list).map(({ id = "", name = "", scope = "full", expires = "0", ...times }) => ({
      id,
      name,
      scope: scope as AppPassword["scope"],
      expiresAt: dateOrNever(expires),
      createdAt: parseDate(times.time_created ?? ""),
      usedAt: dateOrNever(times.time_used ?? "0"),
    }));
  }

  /** A sign-in for a Kobo e-reader (docs/apps.md), and the lines that its file of settings gets. */
  async addKobo(serial: string, options?: CallOptions): Promise<{ settings: string }> {
    const url = `${this.#baseUrl}/kobo/device`;
    const { body } = await this.#transport.post(url, { ...this.#credentials, serial }, options);
    return JSON.parse(body) as { settings: string };
  }

  async revokeAppPassword(id: string, options?: CallOptions): Promise<void> {
    await this.#call("app_passwords", { revoke: id }, options);
  }

  /**
   * Makes a public link to the kept article of a page of the list, or to the newest pages of a tag. Throws `ApiError` if the
   * operator has not turned sharing on.
   */
  async share(
    target: { url: string } | { tag: string },
    { expiresAt, ...options }: CallOptions & { expiresAt?: Date | undefined } = {},
  ): Promise<{ id: string; address: string }> {
    const create = { ...target, ...(expiresAt && { expires: Math.floor(+expiresAt / 1000) }) };
    const { body } = await this.#call("share", { create: JSON.stringify(create) }, options);
    const { id = "", address = "" } = JSON.parse(body) as Record<string, string>;
    return { id, address };
  }

  /** The public links of the user, the oldest first. */
  async shares(options?: CallOptions): Promise<Share[]> {
    const { body } = await this.#call("share", {}, options);
    const { list } = JSON.parse(body) as { list: Record<string, Record<string, string>> };
    return Object.values(list).map(({ id = "", address = "", url, tag, state, expires = "0", time_created = "" }) => ({
      id,
      address,
      url,
      tag,
      state: state as Share["state"],
      expiresAt: expires === "0" ? undefined : parseDate(expires),
      createdAt: parseDate(time_created),
    }));
  }

  async revokeShare(id: string, options?: CallOptions): Promise<void> {
    await this.#call("share", { revoke: id }, options);
  }

  /** Switches a share, or all, on again after a backup was restored. */
  async confirmShares(id: string, options?: CallOptions): Promise<void> {
    await this.#call("share", { reopen: id }, options);
  }

  /** Lets a share of a tag show another tag, at the same address. */
  async moveShare(id: string, tag: string, options?: CallOptions): Promise<void> {
    await this.#call("share", { move: id, tag }, options);
  }

  /**
   * Changes the account's password; with `revokes`, also revokes all app passwords. This client continues to use the
   * old password.
   */
  async changePassword(
    newPassword: string,
    { revokes = false, ...options }: CallOptions & { revokes?: boolean } = {},
  ): Promise<void> {
    const form = { new_password: newPassword, ...(revokes && { revoke: "1" }) };
    await this.#callOnce("password", form, newPassword, options);
  }

  /** Deletes the account and everything in it, for good. `username` must be the client's own. */
  async deleteAccount(username: string, options?: CallOptions): Promise<void> {
    await this.#call("delete_account", { confirm: username }, options);
  }

  /**
   * Registers the user; with the secret of an operator's link even if sign-up is closed, or replaces a forgotten password.
   * Throws `unauthorized` if the username is taken.
   */
  async signup({ invitation, ...options }: CallOptions & { invitation?: string | undefined } = {}): Promise<void> {
    await this.#callOnce("signup", invitation ? { invitation } : {}, this.#credentials.password, options);
  }

  /** Calls an endpoint of operators with the account's own password (docs/api.md 13). */
  async callOperator(
    name: OperatorEndpoint,
    parameters: Record<string, string> = {},
    options?: CallOptions,
  ): Promise<OperatorAnswer> {
    const { body } = await this.#call(`operator/${name}`, parameters, options);
    const { list = {}, ...fields } = body.startsWith("{") ? JSON.parse(body) : {};
    return { fields, list: Object.values(list) };
  }

  /** Retrieves the text view of any page. Throws `invalid` if the page cannot be fetched. */
  async text(url: string, options: TextOptions = {}): Promise<TextView> {
    return (await this.#view("text", { url }, options)).view;
  }

  /**
   * Retrieves the article that the service has saved of a page of the list. Without one, it reads the page and saves
   * its article. Throws `invalid` if the page is not in the list, cannot be fetched, or exceeds the user's quota.
   */
  async article(url: string, { refresh, html, ...options }: ArticleOptions = {}): Promise<Article> {
    const form = { ...this.#credentials, url, ...(refresh && { refresh: "1" }), ...(html && { html }) };
    const { view, headers } = await this.#view("article", form, options);
    const keptAt = headers.get("x-kept");
    return { ...view, keptAt: keptAt === null ? undefined : parseDate(keptAt) };
  }

  /** A book (EPUB) of the kept articles of up to 50 pages of the list, with their highlights (docs/api.md 4.9). */
  async book(urls: readonly string[], options?: CallOptions): Promise<Blob> {
    const pages = urls.length === 1 ? { url: urls[0] ?? "" } : { urls: JSON.stringify(urls) };
    const form = { ...this.#credentials, ...pages, format: "epub" };
    const { content } = await this.#post(`${this.#textUrlFor("book")}/v2/article`, form, { ...options, asBlob: true });
    return content ?? new Blob([]);
  }

  /** Which pages have saved copies, and why others do not, or the changes (docs/api.md 4.16). */
  async kept({ since, count, page }: KeptQuery = {}, options?: CallOptions): Promise<KeptPages> {
    const form = { ...this.#credentials, ...writeNumbers({ since, count, page }) };
    return parseKept((await this.#post(`${this.#textUrlFor("kept")}/v2/kept`, form, options)).body);
  }

  /** Changes which copies the service saves in the background. */
  async changeKept(change: KeptChange, options?: CallOptions): Promise<void> {
    const form = { ...this.#credentials, ...writeKeptForm(change) };
    await this.#post(`${this.#textUrlFor("kept")}/v2/kept`, form, options);
  }

  #textUrlFor(name: string): string {
    if (!this.#textUrl) throw new TypeError(`${name}: create the client with textUrl to call this`);
    return this.#textUrl;
  }

  async #view(
    name: "text" | "article",
    parameters: Record<string, string>,
    { mode, images, ...options }: ArticleOptions,
  ) {
    const form = { ...parameters, ...(mode && { mode }), ...(images && { images: images === true ? "1" : images }) };
    const { body, headers } = await this.#post(`${this.#textUrlFor(name)}/v2/${name}`, form, options);
    const decoded = (header: string) => {
      const value = headers.get(header);
      return value === null ? undefined : decodeURIComponent(value);
    };
    const view: TextView = {
      html: body,
      title: decoded("x-title"),
      resolvedUrl: headers.get("x-resolved") ?? undefined,
      nextUrl: headers.get("x-next") ?? undefined,
      hasLogin: headers.has("x-login-found"),
      imageUrl: headers.get("x-image") ?? undefined,
      author: decoded("x-author"),
      publishedAt: headers.get("x-date") ?? undefined,
      notice: headers.get("x-notice") ?? undefined,
    };
    return { view, headers };
  }

  /** Retrieves the rate limit of the API key; the call is not counted. */
  async api(options?: CallOptions): Promise<Limits | undefined> {
    return (await this.#post(`${this.#baseUrl}/v2/api`, {}, options)).limits;
  }

  /**
   * Brings a store up to date: sends its queued changes, then fetches the changes of the list, and yields their effect
   * on the replica. The first sync goes by pages. A sync that was interrupted continues where it was. With `highlights`
   * a store of highlights is brought up to date, too.
   */
  sync(store: Store, options: SyncOptions = {}): AsyncGenerator<SyncedChanges, void, undefined> {
    return syncStore(this.#syncCalls(options), store, options);
  }

  /**
   * Sends the queued changes of a store and yields the refused ones, for an app that keeps no copy of the list. If it
   * throws, or the program ends, a later `push` sends the rest.
   */
  push(store: Store, options: PushOptions = {}): AsyncGenerator<SyncedChanges, void, undefined> {
    return pushStore(this.#syncCalls(options), store, options.highlights);
  }

  /** Compares the replica in a store with `stats`; the next `sync` replaces a replica that is different. */
  verify(store: Store, options: CallOptions = {}): Promise<Comparison> {
    return verifyStore(this.#syncCalls(options), store);
  }

  #syncCalls({ signal }: CallOptions): SyncCalls {
    return {
      get: (query) => this.get(query, { signal }),
      send: async (form) => {
        const { headers } = await this.#call("send", form, { signal });
        return (headers.get("x-applied") ?? "").split(",");
      },
      stats: () => this.stats({ signal }),
      highlights: (query) => this.highlights(query, { signal }),
      sendHighlights: (changes) => this.sendHighlights(changes, { signal }),
    };
  }

  /**
   * A call whose repetition the service refuses with 401: if an earlier try was carried out, and its answer lost, the
   * password is `password` by now.
   */
  async #callOnce(endpoint: string, form: Record<string, string>, password = "", options?: CallOptions): Promise<void> {
    let isRepeated = false;
    try {
      await this.#call(endpoint, form, options, () => {
        isRepeated = true;
      });
    } catch (refused) {
      if (!isRepeated || !isUnauthorized(refused)) throw refused;
      await this.#call("auth", { password }, options).catch((error) => {
        throw isUnauthorized(error) ? refused : error;
      });
    }
  }

  #call(endpoint: string, form: Record<string, string>, options?: CallOptions, onRepeat?: () => void): Promise<Answer> {
    return this.#post(`${this.#baseUrl}/v2/${endpoint}`, { ...this.#credentials, ...form }, options, onRepeat);
  }

  #post(url: string, form: Record<string, string>, options?: PostOptions, onRepeat?: () => void): Promise<Answer> {
    return this.#transport.post(url, { apikey: this.#apiKey, ...form }, options, onRepeat);
  }
}

/** URLs that the service takes in one call. */
const purgedAtOnce = 1000;

const writeNumbers = (numbers: Record<string, number | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(numbers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );

const isUnauthorized = (error: unknown) => error instanceof ApiError && error.kind === "unauthorized";

/**
 * The address of a service without its last slash. Throws `TypeError` for an address that `fetch` would refuse with an
 * error that contains it.
 */
function normaliseAddress(name: string, address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url?.protocol.startsWith("http")) throw new TypeError(`${name} is not an http(s) URL`);
  if (url.username || url.password) throw new TypeError(`${name} must not contain a username or password`);
  return url.origin + url.pathname.replace(/\/$/, "");
}
