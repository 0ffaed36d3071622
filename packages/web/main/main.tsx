// SPDX-License-Identifier: MIT

import { render } from "preact";
import { Account } from "../data/account.ts";
import { type Reader, ReaderContext } from "../data/reader.ts";
import { storageProblemOf } from "../kit/browser-storage.ts";
import type { ReaderConfig } from "../kit/config.ts";
import { english } from "../kit/english.ts";
import { Notices } from "../kit/notices.tsx";
import { openRouter } from "../kit/router.ts";
import { openSettings } from "../kit/settings.ts";
import { sharedPageIn } from "../kit/web-address.ts";
import { App } from "./app.tsx";
import { registerServiceWorker } from "./register-service-worker.ts";

async function loadConfig(): Promise<ReaderConfig> {
  const response = await fetch("config.json");
  const { baseUrl, ...config } = (await response.json()) as ReaderConfig;
  return { ...config, baseUrl: new URL(baseUrl, location.href).href };
}

const settings = openSettings();
const shared = sharedPageIn(location.search);
// So that a reload does not ask again.
if (location.search) history.replaceState(null, "", location.pathname + location.hash);

const root = document.getElementById("app") as HTMLElement;
try {
  const config = await loadConfig();
  const account = new Account(config);
  const reader: Reader = { config, settings, route: openRouter(), account, notices: new Notices() };
  await account.resume();
  render(
    <ReaderContext.Provider value={reader}>
      <App shared={shared} />
    </ReaderContext.Provider>,
    root,
  );
  await registerServiceWorker((activate) => {
    const action = { name: english.notices.reload, run: activate };
    reader.notices.lasting.value = { text: english.notices.newVersion, action };
  });
} catch (error) {
  const problem = storageProblemOf(error);
  if (!root.hasChildNodes()) {
    render(<p class="empty">{problem ? english.storage[problem] : english.notStarted}</p>, root);
  }
  throw error;
}
