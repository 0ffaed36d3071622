// SPDX-License-Identifier: MIT

import type { Answer, TestUser } from "./client.ts";
import { parseXml, type XmlElement } from "./parse-xml.ts";

/** A feed of a catalogue, whichever version has written it. */
export interface ReadFeed {
  title: string;
  total: number;
  /** By their relations. */
  links: Record<string, string>;
  folders: { title: string; href: string }[];
  pages: ReadPage[];
}

interface ReadPage {
  title: string;
  id: string;
  updated: string;
  site: string;
  tags: string[];
  /** The page itself, and its book. */
  href: string;
  book: string;
}

/** The versions of OPDS, and the paths of their roots. */
export const opdsVersions = { "1.2": "/opds", "2.0": "/opds/v2" } as const;

const acquisition = "http://opds-spec.org/acquisition";
const epubType = "application/epub+zip";

/** Reads a user's catalogue as apps do, with an app password of its own. */
export class OpdsReader {
  readonly #user: TestUser;
  readonly authorization: string;

  constructor(user: TestUser, password: string) {
    this.#user = user;
    this.authorization = basic(user.credentials.username, password);
  }

  static async signIn(user: TestUser, fields: Record<string, string> = {}): Promise<OpdsReader> {
    return new OpdsReader(user, await newAppPassword(user, fields));
  }

  urlOf(path: string): string {
    return new URL(path, this.#user.service.baseUrl).href;
  }

  /** A call of a path or URL with the credentials. */
  call(url: string, init: RequestInit = {}): Promise<Answer> {
    const headers = { authorization: this.authorization, ...init.headers };
    return this.#user.service.fetch(this.urlOf(url), { ...init, headers });
  }

  /** Reads a feed. Throws unless the status is 200. */
  async read(url: string): Promise<ReadFeed> {
    const { status, headers, body } = await this.call(url);
    if (status !== 200) throw new Error(`${url}: ${status} ${headers.get("x-error")}`);
    return headers.get("content-type")?.startsWith("application/opds+json") ? readJson(body) : readAtom(body);
  }

  /** All pages of a feed, by its links to the next part; the number of parts. */
  async walk(url: string): Promise<{ pages: ReadPage[]; parts: number }> {
    const pages: ReadPage[] = [];
    let parts = 0;
    for (let next: string | undefined = url; next; parts++) {
      const feed: ReadFeed = await this.read(next);
      pages.push(...feed.pages);
      next = feed.links.next;
    }
    return { pages, parts };
  }
}

export const basic = (username: string, password: string) => `Basic ${btoa(`${username}:${password}`)}`;

export async function newAppPassword(user: TestUser, fields: Record<string, string> = {}): Promise<string> {
  const { body } = await user.ok("app_passwords", { create: "Reader", ...fields });
  return JSON.parse(body).password;
}

const childrenOf = (element: XmlElement, name: string) => element.children.filter((child) => child.name === name);
const textOf = (element: XmlElement, name: string) => childrenOf(element, name)[0]?.text ?? "";
const linksOf = (element: XmlElement) =>
  childrenOf(element, "link").map(({ attributes: { rel = "", href = "", type = "" } }) => ({ rel, href, type }));

type Link = { rel: string; href: string; type: string };
const byRelation = (links: Link[]) => Object.fromEntries(links.map(({ rel, href }) => [rel, href]));
const bookIn = (links: Link[]) => links.find(({ rel, type }) => rel === acquisition && type === epubType)?.href ?? "";

function readAtom(xml: string): ReadFeed {
  const feed = parseXml(xml);
  const entries = childrenOf(feed, "entry").map((entry) => ({ entry, links: linksOf(entry) }));
  const isFolder = ({ links }: { links: Link[] }) => links.some(({ rel }) => rel === "subsection");
  return {
    title: textOf(feed, "title"),
    total: Number(textOf(feed, "opensearch:totalResults")),
    links: byRelation(linksOf(feed)),
    folders: entries
      .filter(isFolder)
      .map(({ entry, links }) => ({ title: textOf(entry, "title"), href: byRelation(links).subsection ?? "" })),
    pages: entries
      .filter((entry) => !isFolder(entry))
      .map(({ entry, links }) => ({
        title: textOf(entry, "title"),
        id: textOf(entry, "id"),
        updated: textOf(entry, "updated"),
        site: textOf(entry, "dc:publisher"),
        href: byRelation(links).alternate ?? "",
        book: bookIn(links),
        tags: childrenOf(entry, "category").map(({ attributes }) => attributes.term ?? ""),
      })),
  };
}

interface JsonFeed {
  metadata: { title: string; numberOfItems: number };
  links: Link[];
  navigation?: { title: string; href: string }[];
  publications?: {
    metadata: { title: string; identifier: string; modified: string; publisher: string; subject?: string[] };
    links: Link[];
  }[];
}

function readJson(json: string): ReadFeed {
  const { metadata, links, navigation = [], publications = [] } = JSON.parse(json) as JsonFeed;
  return {
    title: metadata.title,
    total: metadata.numberOfItems,
    links: byRelation(links),
    folders: navigation.map(({ title, href }) => ({ title, href })),
    pages: publications.map(({ metadata: { title, identifier: id, modified, publisher, subject = [] }, links }) => ({
      title,
      id,
      updated: modified,
      site: publisher,
      tags: subject,
      href: byRelation(links).alternate ?? "",
      book: bookIn(links),
    })),
  };
}
