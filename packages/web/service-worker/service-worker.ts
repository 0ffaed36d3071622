// SPDX-License-Identifier: MIT

declare const self: ServiceWorkerGlobalScope;
/** Names of the reader's files relative to the page, and a hash of their contents; build.ts defines both. */
declare const FILES: string[];
declare const VERSION: string;

const prefix = "reader-";
/** Cache of the images of articles; signing out deletes it. The oldest ones make room for new ones. */
const imageCache = "images";
const maxImages = 500;
const cacheName = prefix + VERSION;
const addressOf = (name: string) => new URL(name, self.registration.scope).href;
const files = new Set(FILES.map(addressOf));
const config = addressOf("config.json");

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
  const old = names.filter((name) => name.startsWith(prefix) && name !== cacheName);
  await Promise.all(old.map((name) => caches.delete(name)));
  await self.clients.claim();
}

self.addEventListener("message", (event) => {
  const { data } = event;
  if (data === "activate") void self.skipWaiting();
  if (data.images) event.waitUntil(cacheImages(data.images));
});

/** Caches images of articles, for whose sites this worker's policy allows requests (`workerSecurityPolicy`). */
async function cacheImages(urls: readonly string[]): Promise<void> {
  const cache = await caches.open(imageCache);
  for (const url of urls) {
    if (await cache.match(url)) continue;
    // Without CORS, which few sites allow: the answers are opaque.
    const request = new Request(url, { mode: "no-cors", credentials: "omit", referrerPolicy: "no-referrer" });
    await fetch(request).then(
      (response) => cache.put(url, response),
      () => {},
    );
  }
  const kept = await cache.keys();
  for (const request of kept.slice(0, Math.max(0, kept.length - maxImages))) await cache.delete(request);
}

self.addEventListener("fetch", (event) => {
  const { url, method, destination } = event.request;
  if (method !== "GET") return;
  const [address = ""] = url.split(/[?#]/);
  if (address === config) event.respondWith(answerConfig(event.request));
  else if (files.has(address)) event.respondWith(answerFile(address, event.request));
  else if (destination === "image") event.respondWith(answerImage(event.request));
});

async function answerImage(request: Request): Promise<Response> {
  return (await caches.match(request.url, { cacheName: imageCache })) ?? fetch(request);
}

/** The query of the page, such as a page to save, is for its script alone. */
async function answerFile(address: string, request: Request): Promise<Response> {
  return (await (await caches.open(cacheName)).match(address)) ?? fetch(request);
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
