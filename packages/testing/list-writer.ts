// SPDX-License-Identifier: MIT

import { expect } from "vitest";
import type { CheckedUser } from "./checked-user.ts";
import type { Parameters } from "./client.ts";
import type { ExpectedList, PageOutcome, PageState } from "./list-model.ts";

const pagesEach = 5;
/** Pages that all writers of a list add, mark read and delete. */
const sharedUrls = ["http://example.com/shared/0", "http://example.com/shared/1"];

const joinTags = (...tags: string[]) => tags.filter(Boolean).join();

const withoutTag = (tags: string, lost: string) => joinTags(...tags.split(",").filter((tag) => tag !== lost));

/** A client that changes its own pages, and retries calls with an unknown outcome. */
export class ListWriter {
  readonly #user: CheckedUser;
  readonly #list: ExpectedList;
  readonly #urls: string[];
  readonly #random: () => number;
  #changes = 0;
  /** The pages that it has deleted, as they are in the trash. */
  readonly #trash = new Map<string, PageState>();

  constructor(user: CheckedUser, list: ExpectedList, name: string, random: () => number) {
    this.#user = user;
    this.#list = list;
    this.#urls = Array.from({ length: pagesEach }, (_, i) => `http://example.com/${name}/${i}`);
    this.#random = random;
  }

  async change(): Promise<void> {
    const { endpoint, parameters, pages } = this.#random() < 0.3 ? this.#drawAdd() : this.#drawSend();
    for (const [url, page] of pages) {
      this.#list.ask(url, page);
      if (page !== "deleted") this.#trash.delete(url);
    }
    expect((await this.#user.insist(endpoint, parameters)).status).toBe(200);
    this.#list.acknowledge(pages.keys());
  }

  #drawUrl = () => this.#urls[Math.floor(this.#random() * this.#urls.length)] as string;
  /** The state of a page that is in the list. */
  #stateOf(url: string): PageState | undefined {
    const latest = this.#list.latest(url);
    return latest === "deleted" ? undefined : latest;
  }
  #drawText = (kind: string) => `${kind} ${this.#changes++}`;

  #drawAdd() {
    const url = this.#drawUrl();
    const before = this.#stateOf(url);
    const title = this.#random() < 0.5 ? this.#drawText("title") : undefined;
    const { progress } = before ?? this.#trash.get(url) ?? {};
    const page = { title: title ?? before?.title ?? url, tags: before?.tags ?? "", state: "0", progress };
    return { endpoint: "add", parameters: { url, ...(title && { title }) }, pages: new Map([[url, page]]) };
  }

  /** Changes of some pages, any of the kinds for each; also of pages that are not in the list. */
  #drawSend() {
    const pages = new Map<string, PageOutcome>();
    const parameters: Record<string, object[]> = {
      restore: [],
      new: [],
      read: [],
      update_title: [],
      update_tags: [],
      add_tags: [],
      remove_tags: [],
      update_progress: [],
      delete: [],
    };
    for (const url of new Set([this.#drawUrl(), this.#drawUrl(), this.#drawUrl()])) {
      const before = this.#stateOf(url);
      const trashed = this.#trash.get(url);
      let page = before;
      let wasInList = page !== undefined;
      const change = (kind: string, entry: object, after: PageState | undefined, share = 0.4) => {
        if (this.#random() >= share) return;
        parameters[kind]?.push({ url, ...entry });
        wasInList ||= after !== undefined;
        page = after;
      };
      const title = this.#drawText("title");
      const tags = this.#drawText("tag");
      change("restore", {}, page ?? trashed, 0.3);
      const { progress } = page ?? trashed ?? {};
      change("new", { title }, { title, tags: page?.tags ?? "", state: "0", progress });
      change("read", {}, page && { ...page, state: "1" });
      change("update_title", { title: `${title}!` }, page && { ...page, title: `${title}!` });
      change("update_tags", { tags }, page && { ...page, tags });
      const [gained, lost] = [this.#drawText("tag"), page?.tags.split(",")[0] ?? ""];
      change("add_tags", { tags: gained }, page && { ...page, tags: joinTags(page.tags, gained) }, 0.2);
      change("remove_tags", { tags: lost }, page && { ...page, tags: withoutTag(page.tags, lost) }, 0.2);
      const percent = Math.floor(this.#random() * 100);
      change("update_progress", { progress: percent }, page && { ...page, progress: String(percent) }, 0.2);
      const last = page;
      change("delete", {}, undefined, 0.15);
      // One that the same request adds or restores, and deletes, is in the trash as it was.
      if (before && last && !page) this.#trash.set(url, last);
      if (wasInList) pages.set(url, page ?? "deleted");
    }
    if (this.#random() < 0.3) {
      for (const url of sharedUrls) {
        pages.set(url, undefined);
        parameters.new?.push({ url });
        if (this.#random() < 0.5) parameters.read?.push({ url });
        if (this.#random() < 0.3) parameters.delete?.push({ url });
      }
    }
    const asJson = Object.entries(parameters).map(([kind, entries]) => [kind, JSON.stringify(entries)]);
    return { endpoint: "send", parameters: Object.fromEntries(asJson) as Parameters, pages };
  }
}
