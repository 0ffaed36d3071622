// SPDX-License-Identifier: MIT

import { applyLook, findCatalogue, storedSettings } from "../kit/look.ts";

/** Direction of each language, and the common part of the names of its files; build.ts defines them. */
declare const CATALOGUES: Record<string, { direction: string; name: string }>;

// A separate script, for which the page waits: so the first paint has the chosen theme and direction.
const settings = storedSettings();
applyLook(settings);

// A browser on Linux may ask for `en-US@posix`, which is not a language tag.
const wanted = [settings.language ?? "", ...navigator.languages].map((tag) => tag.replace(/[^A-Za-z\d-].*/, ""));
const language = wanted.find((tag) => findCatalogue(CATALOGUES, tag)) ?? "en";
const { direction = "", name = "" } = findCatalogue(CATALOGUES, language) ?? {};
const root = document.documentElement;
Object.assign(root, { lang: language, dir: direction });
Object.assign(root.dataset, {
  first: `first-${name}.json`,
  signIn: `sign-in-${name}.json`,
  later: `later-${name}.json`,
});
// The main script asks for this file once it runs.
const preload = { rel: "preload", as: "fetch", crossOrigin: "anonymous", href: root.dataset.first ?? "" };
document.head.append(Object.assign(document.createElement("link"), preload));
