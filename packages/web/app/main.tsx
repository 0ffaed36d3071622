import { render } from "preact";
import { Account } from "../account/account.ts";
import { sharedPageIn } from "../list/web-address.ts";
import { registerServiceWorker } from "../offline/register-service-worker.ts";
import { App } from "./app.tsx";
import { loadConfig } from "./config.ts";
import { english } from "./english.ts";
import { Notices } from "./notices.tsx";
import { type Reader, ReaderContext } from "./reader.ts";
import { openRouter } from "./router.ts";
import { openSettings } from "./settings.ts";

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
    reader.notices.show(english.notices.newVersion, { name: english.notices.reload, run: activate });
  });
} catch (error) {
  // Without a connection at the first visit, or if the browser stores nothing.
  if (!root.hasChildNodes()) render(<p class="empty">{english.notStarted}</p>, root);
  throw error;
}
