import { ReadingListClient } from "@reading-list/client/main.ts";
import { render } from "preact";
import { ArticleView } from "../article/article-view.tsx";
import { Texts } from "../offline/texts.ts";
import { loadConfig } from "./config.ts";
import { useObservable } from "./observable.ts";
import { openRouter } from "./router.ts";
import { openSettings } from "./settings.ts";

const settings = openSettings();
const router = openRouter();
const texts = await Texts.open("texts", new ReadingListClient(await loadConfig()));

/** For now: the article of the route alone. */
function App() {
  const { article, ...list } = useObservable(router);
  if (!article) return <h1>Reading list</h1>;
  const now = new Date();
  const item = { url: article, title: article, tags: [], state: "unread", timeAdded: now, timeUpdated: now } as const;
  return (
    <ArticleView
      item={{ ...item, tags: [], isPending: false }}
      texts={texts}
      settings={settings}
      onChange={() => {}}
      onClose={() => {
        router.value = list;
      }}
    />
  );
}

const root = document.getElementById("app");
if (root) render(<App />, root);
