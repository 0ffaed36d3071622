// SPDX-License-Identifier: MIT

import { ApiError } from "./api-error.ts";
import type { ReadingListClient } from "./client.ts";

const dayMs = 86_400_000;

/** App passwords that a tab leaves free for devices; the service allows 50. */
const placesOfTabs = 45;

/** A password that this browser stores: an app password with its id, or the account's. */
export interface StoredPassword {
  password: string;
  /** Id of the app password; absent if the service has none, or the user has typed one. */
  id?: string;
}

const browsers = [
  [/Edg\//, "Edge"],
  [/OPR\//, "Opera"],
  [/Firefox\//, "Firefox"],
  [/Chrome\//, "Chrome"],
  [/Safari\//, "Safari"],
] as const;
const systems = [
  [/Android/, "Android"],
  [/iPad/, "iPad"],
  [/iPhone/, "iPhone"],
  [/Mac/, "Mac"],
  [/Windows/, "Windows"],
  [/CrOS/, "Chromebook"],
  [/Linux/, "Linux"],
] as const;

/** The name of an app of this browser in the list of app passwords, such as `Web reader, Firefox on Linux`. */
export function deviceName(app: string): string {
  const find = (names: readonly (readonly [RegExp, string])[]) =>
    names.find(([pattern]) => pattern.test(navigator.userAgent))?.[1];
  return `${app}, ${find(browsers) ?? "a browser"} on ${find(systems) ?? "a device"}`;
}

/**
 * An app password for an app in this browser, instead of the account's `password`. If the user has as many as are
 * allowed, it takes the place of the least recently used one of the same name. Returns `password` itself if the service
 * has no app passwords, or it is one. Throws `ApiError`.
 */
export async function devicePassword(
  app: string,
  client: ReadingListClient,
  password: string,
): Promise<StoredPassword> {
  const name = deviceName(app);
  try {
    return await client.createAppPassword(name);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.kind === "notFound" || error.kind === "unauthorized") return { password };
    if (error.kind !== "invalid") throw error;
    const lastUse = ({ usedAt, createdAt }: { usedAt: Date | undefined; createdAt: Date }) => +(usedAt ?? createdAt);
    const all = await client.appPasswords();
    const [oldest] = all.filter((each) => each.name === name).sort((a, b) => lastUse(a) - lastUse(b));
    if (!oldest) throw error;
    await client.revokeAppPassword(oldest.id);
    return client.createAppPassword(name);
  }
}

/**
 * An app password for one tab, which ends after a day; undefined if the service gives none, or if the user has hardly a
 * place left for devices. Throws `ApiError` if the service cannot be reached.
 */
export async function tabPassword(app: string, client: ReadingListClient): Promise<StoredPassword | undefined> {
  try {
    if ((await client.appPasswords()).length >= placesOfTabs) return undefined;
    return await client.createAppPassword(deviceName(app), { expiresAt: new Date(Date.now() + dayMs) });
  } catch (error) {
    if (error instanceof ApiError && error.kind !== "noResponse") return undefined;
    throw error;
  }
}
