// SPDX-License-Identifier: MIT

import { Assistant } from "./assistant.ts";
import type { TestUser } from "./client.ts";
import { LinkdingDevice, type LinkdingPage } from "./linkding-device.ts";
import { OpdsReader } from "./opds-reader.ts";
import { type Bookmark, ReadeckDevice } from "./readeck-device.ts";
import { type EntryPage, WallabagDevice } from "./wallabag-device.ts";

/** The titles that an API answers to a search, and its status for a faulty one with the words of its error. */
type Search = (words: string) => Promise<{ status: number; body: string; titles: string[] }>;

/** Signs in an app of each API of other services; it searches as these apps do. */
export const searchingApps: Record<string, (user: TestUser) => Promise<Search>> = {
  wallabag: async (user) => {
    const device = await new WallabagDevice(user.service, user.credentials).signIn();
    return async (words) => {
      const { status, body } = await device.call("GET", `api/search?term=${encodeURIComponent(words)}`);
      const items = status === 200 ? (JSON.parse(body) as EntryPage)._embedded.items : [];
      return { status, body, titles: items.map(({ title }) => title ?? "") };
    };
  },
  readeck: async (user) => {
    const device = await ReadeckDevice.signIn(user);
    return async (words) => {
      const { status, body } = await device.call("GET", `bookmarks?search=${encodeURIComponent(words)}`);
      const found = status === 200 ? (JSON.parse(body) as Bookmark[]) : [];
      return { status, body, titles: found.map(({ title }) => title) };
    };
  },
  linkding: async (user) => {
    const device = await LinkdingDevice.signIn(user);
    return async (words) => {
      const query = `q=${encodeURIComponent(words)}`;
      const answers = [
        await device.call("GET", `bookmarks/?${query}`),
        await device.call("GET", `bookmarks/archived/?${query}`),
      ];
      const found = answers.flatMap(({ status, body }) =>
        status === 200 ? (JSON.parse(body) as LinkdingPage).results : [],
      );
      const [{ status = 0, body = "" } = {}] = answers;
      return { status, body, titles: found.map(({ title }) => title) };
    };
  },
  opds: async (user) => {
    const reader = await OpdsReader.signIn(user);
    return async (words) => {
      const address = `${user.service.baseUrl}/opds/search?query=${encodeURIComponent(words)}`;
      const { status, body } = await reader.call(address);
      const pages = status === 200 ? (await reader.read(address)).pages : [];
      return { status, body, titles: pages.map(({ title }) => title) };
    };
  },
  mcp: async (user) => {
    const assistant = await Assistant.of(user);
    return async (words) => {
      const { isError, text: body, json } = await assistant.use("search", { words });
      const found: { title: string }[] = isError ? [] : json.pages;
      return { status: isError ? 400 : 200, body, titles: found.map(({ title }) => title) };
    };
  },
};
