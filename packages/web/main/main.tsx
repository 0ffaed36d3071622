// SPDX-License-Identifier: MIT

import { render } from "preact";
import { Account, readAhead } from "../data/account.ts";
import { type Reader, ReaderContext } from "../data/reader.ts";
import { findStorageProblem } from "../kit/browser-storage.ts";
import type { ReaderConfig } from "../kit/config.ts";
import { explain } from "../kit/explain.ts";
import { Notices } from "../kit/notices.tsx";
import { openRouter } from "../kit/router.ts";
import { openSettings } from "../kit/settings.ts";
import { firstTexts } from "../kit/texts.ts";
import { App, loadSignedIn } from "./app.tsx";

async function loadConfig(): Promise<ReaderConfig> {
  const response = await fetch("config.json");
  const { baseUrl, ...config } = (await response.json()) as ReaderConfig;
  return { ...config, baseUrl: new URL(baseUrl, location.href).href };
}

document.title = firstTexts.name;
const settings = openSettings();
const shared = location.search ? (await import("../kit/shared-page.ts")).sharedPageIn(location.search) : undefined;
if (shared) shared.isFromApp = !document.referrer && matchMedia("(display-mode: standalone)").matches;
// So that a reload does not ask again.
if (location.search) history.replaceState(null, "", location.pathname + location.hash);

const root = document.getElementById("app") as HTMLElement;
try {
  // Beside `config.json` and the stored list.
  if (readAhead()) void loadSignedIn();
  const config = await loadConfig();
  const account = new Account(config);
  const reader: Reader = { config, settings, route: openRouter(), account, notices: new Notices() };
  await account.resume();
  render(
    <ReaderContext.Provider value={reader}>
      <App shared={{ current: shared }} />
    </ReaderContext.Provider>,
    root,
  );
  const { registerServiceWorker } = await import("./register-service-worker.ts");
  await registerServiceWorker(reader.notices);
} catch (error) {
  if (!root.hasChildNodes()) {
    const text = findStorageProblem(error) ? await explain(error) : firstTexts.notStarted;
    render(<p class="empty">{text}</p>, root);
  }
  throw error;
}
