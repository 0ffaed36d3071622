// SPDX-License-Identifier: MIT

import { pictureCache, toPictureKey } from "../kit/picture-key.ts";

declare const self: ServiceWorkerGlobalScope;
/** Names of the reader's files relative to the page, and a hash of their contents; build.ts defines both. */
declare const FILES: string[];
declare const VERSION: string;

const prefix = "reader-";
const cacheName = prefix + VERSION;
const absoluteUrl = (name: string) => new URL(name, self.registration.scope).href;
const files = new Set(FILES.map(absoluteUrl));
const config = absoluteUrl("config.json");

self.addEventListener("install", (event) => {
  event.waitUntil(install());
});

async function install(): Promise<void> {
  const cache = await caches.open(cacheName);
  // Bypasses the browser's HTTP cache, which may hold files of an older version.
  await cache.addAll([...files, config].map((url) => new Request(url, { cache: "no-cache" })));
}

self.addEventListener("activate", (event) => {
  event.waitUntil(activate());
});

async function activate(): Promise<void> {
  const names = await caches.keys();
  // Until version 0.2, `images` contained pictures of other sites.
  const old = names.filter((name) => (name.startsWith(prefix) && name !== cacheName) || name === "images");
  await Promise.all(old.map((name) => caches.delete(name)));
  await self.clients.claim();
}

self.addEventListener("message", (event) => {
  if (event.data === "activate") void self.skipWaiting();
});

self.addEventListener("fetch", (event) => {
  const { url, method } = event.request;
  if (method !== "GET") return;
  const [address = ""] = url.split(/[?#]/);
  if (address === config) event.respondWith(answerConfig(event.request));
  else if (files.has(address)) event.respondWith(answerFile(address, event.request));
  else if (address.startsWith(self.registration.scope) && address.endsWith(".woff2"))
    event.respondWith(answerTypeface(event.request));
  else if (toPictureKey(url)) event.respondWith(answerPicture(event.request));
});

/** A picture that the page has cached. */
async function answerPicture(request: Request): Promise<Response> {
  const key = toPictureKey(request.url) ?? "";
  return (await caches.match(key, { cacheName: pictureCache })) ?? fetch(request);
}

/** Only the script of the page uses the query, such as a page to save. */
async function answerFile(address: string, request: Request): Promise<Response> {
  return (await (await caches.open(cacheName)).match(address)) ?? fetch(request);
}

/** A typeface is cached when it is chosen. */
async function answerTypeface(request: Request): Promise<Response> {
  const cache = await caches.open(cacheName);
  const cached = await cache.match(request);
  if (cached) return cached;
  const response = await fetch(request);
  if (response.ok) await cache.put(request, response.clone());
  return response;
}

/** The network comes first: the operator may have replaced the API key. */
async function answerConfig(request: Request): Promise<Response> {
  const cache = await caches.open(cacheName);
  try {
    const response = await fetch(request);
    if (response.ok) await cache.put(config, response.clone());
    return response;
  } catch (error) {
    const cached = await cache.match(config);
    if (cached) return cached;
    throw error;
  }
}
