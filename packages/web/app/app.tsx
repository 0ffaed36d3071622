import type { Change } from "@reading-list/client/main.ts";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { AccountPage } from "../account/account-page.tsx";
import type { Session } from "../account/session.ts";
import { ArticleView } from "../article/article-view.tsx";
import { ImportDialog } from "../exchange/import-dialog.tsx";
import { ListPage } from "../list/list-page.tsx";
import { type ChangeList, useChanges } from "../list/use-changes.ts";
import { type SharedPage, webAddressIn } from "../list/web-address.ts";
import { english } from "./english.ts";
import { NoticeBar } from "./notices.tsx";
import { useObservable } from "./observable.ts";
import { useReader } from "./reader.ts";

export function App({ shared }: { shared: SharedPage | undefined }) {
  const { account, config, notices } = useReader();
  const session = useObservable(account.session);
  return (
    <>
      {session ? (
        <SignedIn key={session.username} session={session} shared={shared} />
      ) : (
        <AccountPage account={account} isSignupOpen={config.isSignupOpen} />
      )}
      <NoticeBar notices={notices} />
    </>
  );
}

function SignedIn({ session, shared }: { session: Session; shared: SharedPage | undefined }) {
  const { route: router, settings, notices } = useReader();
  const route = useObservable(router);
  const items = useObservable(session.list.items);
  const change = useChanges(session);
  const scrolled = useRef(0);
  const cameFromList = useRef(false);
  const [imported, setImported] = useState<File>();

  useEffect(() => {
    session.onRejected = ({ url }, message) => notices.show(english.notices.rejected(url, message));
  }, [session, notices]);
  useEffect(() => listenForPages(change, setImported), [session]);

  if (route.article === undefined) cameFromList.current = true;
  const article = route.article === undefined ? undefined : items?.find(({ url }) => url === route.article);
  // In the layout phase: the page of an article begins at its top, which is not the place in the list.
  useLayoutEffect(() => {
    if (article) return;
    scrollTo(0, scrolled.current);
    const remember = () => {
      scrolled.current = scrollY;
    };
    addEventListener("scroll", remember, { passive: true });
    return () => removeEventListener("scroll", remember);
  }, [article === undefined]);

  if (!article) {
    return (
      <>
        <ListPage session={session} change={change} shared={shared} onImport={setImported} />
        {imported && (
          <ImportDialog file={imported} session={session} change={change} onClose={() => setImported(undefined)} />
        )}
      </>
    );
  }
  return (
    <ArticleView
      key={article.url}
      item={article}
      texts={session.texts}
      settings={settings}
      onChange={(changes) => void change(changes, noticeFor(changes))}
      onClose={() => {
        if (cameFromList.current) history.back();
        else router.value = { ...route, article: undefined };
      }}
    />
  );
}

function noticeFor(changes: readonly Change[]): string {
  const kinds = { read: "archived", add: "unread", delete: "deleted", title: "changed", tags: "changed" } as const;
  return english.notices[kinds[changes[0]?.kind ?? "title"]](changes.length);
}

/** Adds an address that is pasted outside of a field, or dropped on the page; imports a file. Returns what ends it. */
function listenForPages(change: ChangeList, onFile: (file: File) => void): () => void {
  const end = new AbortController();
  const add = (text: string) => {
    const url = webAddressIn(text);
    if (url) void change([{ kind: "add", url }], english.notices.added);
    return url !== undefined;
  };
  addEventListener(
    "paste",
    (event) => {
      const { target, clipboardData } = event;
      const isField = target instanceof HTMLElement && target.matches("input, textarea");
      if (!isField && add(clipboardData?.getData("text/plain") ?? "")) event.preventDefault();
    },
    { signal: end.signal },
  );
  // Without this the browser would leave the reader for what is dropped.
  addEventListener("dragover", (event) => event.preventDefault(), { signal: end.signal });
  addEventListener(
    "drop",
    (event) => {
      event.preventDefault();
      const file = event.dataTransfer?.files[0];
      if (file) onFile(file);
      else add(event.dataTransfer?.getData("text/plain") ?? "");
    },
    { signal: end.signal },
  );
  return () => end.abort();
}
