import { expect } from "vitest";
import type { Parameters } from "../service.ts";
import type { CheckedUser } from "./checked-calls.ts";
import type { ExpectedList, PageState } from "./expected-list.ts";

const pagesEach = 5;
/** Pages that all writers of a list add and mark read. */
const sharedUrls = ["http://example.com/shared/0", "http://example.com/shared/1"];

/** A client that has pages of its own to change, and repeats what it does not know the outcome of. */
export class ListWriter {
  private readonly user: CheckedUser;
  private readonly list: ExpectedList;
  private readonly urls: string[];
  private readonly random: () => number;
  private changes = 0;

  constructor(user: CheckedUser, list: ExpectedList, name: string, random: () => number) {
    this.user = user;
    this.list = list;
    this.urls = Array.from({ length: pagesEach }, (_, i) => `http://example.com/${name}/${i}`);
    this.random = random;
  }

  async change(): Promise<void> {
    const { endpoint, parameters, pages } = this.random() < 0.3 ? this.drawAdd() : this.drawSend();
    for (const [url, page] of pages) this.list.ask(url, page);
    expect((await this.user.insist(endpoint, parameters)).status).toBe(200);
    this.list.acknowledge(pages.keys());
  }

  private drawUrl = () => this.urls[Math.floor(this.random() * this.urls.length)] as string;
  private drawText = (kind: string) => `${kind} ${this.changes++}`;

  private drawAdd() {
    const url = this.drawUrl();
    const before = this.list.latest(url);
    const title = this.random() < 0.5 ? this.drawText("title") : undefined;
    const page = { title: title ?? before?.title ?? url, tags: before?.tags ?? "", state: "0" };
    return { endpoint: "add", parameters: { url, ...(title && { title }) }, pages: new Map([[url, page]]) };
  }

  /** Changes of some pages, any of the four kinds for each; of pages that are not in the list, too. */
  private drawSend() {
    const pages = new Map<string, PageState | undefined>();
    const parameters: Record<string, object[]> = { new: [], read: [], update_title: [], update_tags: [] };
    for (const url of new Set([this.drawUrl(), this.drawUrl(), this.drawUrl()])) {
      let page = this.list.latest(url);
      const change = (kind: string, entry: object, after: PageState | undefined) => {
        if (this.random() < 0.6) return;
        parameters[kind]?.push({ url, ...entry });
        page = after;
      };
      const title = this.drawText("title");
      const tags = this.drawText("tag");
      change("new", { title }, { title, tags: page?.tags ?? "", state: "0" });
      change("read", {}, page && { ...page, state: "1" });
      change("update_title", { title: `${title}!` }, page && { ...page, title: `${title}!` });
      change("update_tags", { tags }, page && { ...page, tags });
      if (page) pages.set(url, page);
    }
    if (this.random() < 0.3) {
      for (const url of sharedUrls) {
        pages.set(url, undefined);
        parameters.new?.push({ url });
        if (this.random() < 0.5) parameters.read?.push({ url });
      }
    }
    const asJson = Object.entries(parameters).map(([kind, entries]) => [kind, JSON.stringify(entries)]);
    return { endpoint: "send", parameters: Object.fromEntries(asJson) as Parameters, pages };
  }
}
