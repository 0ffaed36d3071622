// SPDX-License-Identifier: MIT

import type { Notices } from "../kit/notices.tsx";
import { signInTexts } from "../kit/sign-in-texts.ts";

const text = signInTexts.version;
const hourMs = 3_600_000;

/**
 * Makes the page work without a connection. Browsers have no service workers on plain HTTP from another machine.
 *
 * A new version of the reader waits until no tab uses the old one, or until the user
 * chooses it in a notice, which reloads the page.
 */
export async function registerServiceWorker({ lasting }: Notices): Promise<void> {
  if (!("serviceWorker" in navigator)) return;
  const name = "service-worker.js";
  const policy = window.trustedTypes?.createPolicy("service-worker", { createScriptURL: (_: string) => name });
  const registration = await navigator.serviceWorker.register(policy?.createScriptURL(name) ?? name);
  const offer = () => {
    const { waiting } = registration;
    if (!waiting || !navigator.serviceWorker.controller) return;
    const activate = () => {
      navigator.serviceWorker.addEventListener("controllerchange", () => location.reload(), { once: true });
      waiting.postMessage("activate");
    };
    lasting.value = { text: text.ready, actions: [{ name: text.reload, run: activate }] };
  };
  // Browsers look for one only when a page is opened, and a tab may stay open for weeks.
  const look = () => void registration.update().catch(() => {});
  setInterval(look, hourMs);
  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && look());
  offer();
  registration.addEventListener("updatefound", () => registration.installing?.addEventListener("statechange", offer));
}
