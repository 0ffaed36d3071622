// SPDX-License-Identifier: MIT

import type { Change, LocalItem } from "@reading-list/client/main.ts";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { List } from "../data/list.ts";
import { openPlace, type Place } from "../data/place.ts";
import { useReader } from "../data/reader.ts";
import type { Session } from "../data/session.ts";
import { type ChangeList, useChanges } from "../data/use-changes.ts";
import { useVisibleItems } from "../data/use-visible-items.ts";
import { AccountPage } from "../features/account/account-page.tsx";
import { SyncButton } from "../features/account/sync-status.tsx";
import { ListPage } from "../features/list/list-page.tsx";
import { english } from "../kit/english.ts";
import type { ExportFormat } from "../kit/english-later.ts";
import { NoticeBar, noticeDuration } from "../kit/notices.tsx";
import { useObservable } from "../kit/observable.ts";
import { formatRoute } from "../kit/router.ts";
import { loadStyles, useLoaded } from "../kit/use-loaded.ts";
import { type SharedPage, webAddressesIn, webAddressIn } from "../kit/web-address.ts";

/** Name of the style sheet of articles; build.ts defines it. */
declare const ARTICLE_STYLES: string;

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

function SignedIn({ session, shared: asked }: { session: Session; shared: SharedPage | undefined }) {
  const { route: router, settings, notices } = useReader();
  const route = useObservable(router);
  const visible = useVisibleItems(session);
  const change = useChanges(session);
  const place = useMemo(openPlace, []);
  const cameFromList = useRef(false);
  const [shared, setShared] = useState(asked);
  const [imported, setImported] = useState<File>();
  const [helps, setHelps] = useState(false);
  const [manages, setManages] = useState(false);
  const reading = useLoaded(() => import("../features/article/article-view.tsx"));
  const hasStyles = useLoaded(() => loadStyles(ARTICLE_STYLES));
  const importing = useLoaded(() => import("../features/import/import-dialog.tsx"));
  const managing = useLoaded(() => import("../features/account/manage-account.tsx"));
  const marking = useLoaded(() => import("../features/marks/marks-page.tsx"));
  const trashing = useLoaded(() => import("../features/trash/trash-dialog.tsx"));
  const [showsTrash, setShowsTrash] = useState(false);
  const menu = useLoaded(() => import("../features/menu/menu.tsx"));

  useEffect(() => {
    session.onRejected = ({ url }, message) => notices.show(english.notices.rejected(url, message));
  }, [session, notices]);
  useEffect(() => {
    session.onMarkRejected = (message) => notices.show(english.notices.markRejected(message));
  }, [session, notices]);
  useEffect(() => listenForPages(change, session.list, setImported), [session]);

  const isReading = route.article !== undefined;
  useEffect(() => {
    session.syncer.isListShown = !isReading;
  }, [session, isReading]);

  if (route.article === undefined && !route.isMarks) cameFromList.current = true;
  const close = () => {
    const goesBack = cameFromList.current;
    // A second key before the list is shown must not leave the reader.
    cameFromList.current = false;
    if (goesBack) history.back();
    else router.value = { ...route, article: undefined, mark: undefined, isMarks: undefined };
  };
  if (route.isMarks && visible.all !== undefined) {
    if (!marking || !hasStyles) return null;
    return <marking.MarksPage session={session} items={visible.all} onClose={close} />;
  }
  if (route.article === undefined || visible.all === undefined) {
    return (
      <ScrolledPage place={place}>
        <ListPage
          session={session}
          visible={visible}
          change={change}
          place={place}
          shared={shared}
          onSharedDone={() => setShared(undefined)}
          tools={
            <>
              <SyncButton session={session} />
              {menu && (
                <menu.Menu
                  session={session}
                  onShortcuts={() => setHelps(true)}
                  onImport={setImported}
                  onExport={(format) => exportAs(format, session)}
                  onManage={() => setManages(true)}
                  onMarks={() => {
                    location.hash = formatRoute({ view: route.view, isMarks: true });
                  }}
                  onTrash={() => setShowsTrash(true)}
                />
              )}
            </>
          }
          onShortcuts={() => setHelps(true)}
        />
        {helps && menu && <menu.ShortcutsDialog onClose={() => setHelps(false)} />}
        {manages && managing && (
          <managing.ManageAccount
            username={session.username}
            onExport={(format) => exportAs(format, session)}
            onClose={() => setManages(false)}
          />
        )}
        {showsTrash && trashing && (
          <trashing.TrashDialog session={session} change={change} onClose={() => setShowsTrash(false)} />
        )}
        {imported && importing && (
          <importing.ImportDialog
            file={imported}
            session={session}
            change={change}
            onClose={() => setImported(undefined)}
          />
        )}
      </ScrolledPage>
    );
  }
  const item = visible.all.find(({ url }) => url === route.article);
  if (!item) return <Unlisted url={route.article} change={change} onClose={close} />;
  if (!reading || !hasStyles) return null;
  return (
    <reading.ArticleView
      key={item.url}
      item={item}
      texts={session.texts}
      marks={session.marks}
      jumpsTo={route.mark}
      settings={settings}
      {...neighboursOf(item, visible.shown, place)}
      onChange={(changes) => {
        const hold = changes[0]?.kind === "delete" ? { hold: noticeDuration } : {};
        void change(changes, noticeFor(changes), hold);
      }}
      onProgress={(progress, isLeaving) => session.setProgress(item.url, progress, isLeaving)}
      onOpen={({ url }) => {
        place.url = url;
        router.value = { ...route, article: url, mark: undefined };
      }}
      onClose={close}
    />
  );
}

/** The items before and after an open one. An item that has left the list was at the index of the place. */
function neighboursOf({ url }: LocalItem, shown: readonly LocalItem[], place: Place) {
  const found = shown.findIndex((item) => item.url === url);
  if (found >= 0) Object.assign(place, { url, index: found });
  const index = found >= 0 ? found : Math.max(0, place.index);
  return { previous: shown[index - 1], next: shown[found >= 0 ? index + 1 : index] };
}

/** A page that returns to its place. In the layout phase: an article begins at its top, which is another place. */
function ScrolledPage({ place, children }: { place: Place; children: ComponentChildren }) {
  useLayoutEffect(() => {
    scrollTo(0, place.scrolled);
    const remember = () => {
      place.scrolled = scrollY;
    };
    addEventListener("scroll", remember, { passive: true });
    return () => removeEventListener("scroll", remember);
  }, []);
  return <>{children}</>;
}

/** A link to the article of a page that is not in the list. */
function Unlisted({ url, change, onClose }: { url: string; change: ChangeList; onClose(): void }) {
  return (
    <main class="empty">
      <p>{english.list.unlisted}</p>
      <p class="hint address">{url}</p>
      <p class="actions">
        <button type="button" onClick={onClose}>
          {english.list.back}
        </button>
        {webAddressIn(url) && (
          <button type="button" class="primary" onClick={() => change([{ kind: "add", url }], english.notices.added)}>
            {english.add.title}
          </button>
        )}
      </p>
    </main>
  );
}

/** The formats are loaded when somebody exports. */
async function exportAs(format: ExportFormat, { list }: Session): Promise<void> {
  const { downloadExport } = await import("../features/import/write-export.ts");
  await downloadExport(format, list.items.value ?? []);
}

function noticeFor(changes: readonly Change[]): string {
  const kinds = {
    read: "archived",
    add: "unread",
    restore: "unread",
    delete: "deleted",
    title: "changed",
    tags: "changed",
    progress: "changed",
  } as const;
  return english.notices[kinds[changes[0]?.kind ?? "title"]](changes.length);
}

/**
 * Adds addresses that are pasted outside of a field, or dropped on the page; imports a file. Returns a function that ends
 * it.
 */
function listenForPages(change: ChangeList, list: List, onFile: (file: File) => void): () => void {
  const end = new AbortController();
  const listen = <K extends keyof WindowEventMap>(type: K, listener: (event: WindowEventMap[K]) => void) =>
    addEventListener(type, listener, { signal: end.signal });
  const add = (text: string) => {
    const own = location.href.split("#")[0] ?? "";
    const urls = webAddressesIn(text).filter((url) => !url.startsWith(own));
    const added = urls.filter((url) => list.find(url)?.state !== "unread");
    const notice = added.length === 0 ? english.notices.known : english.notices.addedMany(added.length);
    const changes = added.map((url): Change => ({ kind: "add", url }));
    if (urls.length > 0) void change(changes, notice);
    return urls.length > 0;
  };
  /** A row, or selected text, that the user drags within the reader. */
  let isOwn = false;
  listen("paste", (event) => {
    const { target, clipboardData } = event;
    const isField = target instanceof HTMLElement && target.matches("input, textarea");
    if (!isField && add(clipboardData?.getData("text/plain") ?? "")) event.preventDefault();
  });
  listen("dragstart", () => {
    isOwn = true;
  });
  listen("dragend", () => {
    isOwn = false;
  });
  // Without this the browser would open the file or address that is dropped in place of the reader.
  listen("dragover", (event) => event.preventDefault());
  listen("drop", (event) => {
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (isOwn) return;
    if (file) onFile(file);
    else add(event.dataTransfer?.getData("text/plain") ?? "");
  });
  return () => end.abort();
}
