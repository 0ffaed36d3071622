import type { Change, LocalItem } from "@reading-list/client/main.ts";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Session } from "../account/session.ts";
import { english } from "../app/english.ts";
import { Icon } from "../app/icons.tsx";
import { Menu, ShortcutsDialog } from "../app/menu.tsx";
import { noticeDuration } from "../app/notices.tsx";
import { useObservable } from "../app/observable.ts";
import { useReader } from "../app/reader.ts";
import { formatRoute } from "../app/router.ts";
import { useShortcuts } from "../app/shortcuts.ts";
import { SyncButton } from "../offline/sync-status.tsx";
import { ItemRow, type RowActions } from "./item-row.tsx";
import { AddDialog, AddTagsDialog, EditDialog } from "./page-dialogs.tsx";
import type { ChangeList } from "./use-changes.ts";
import { countTags, filterItems, itemsOfView } from "./visible-items.ts";
import type { SharedPage } from "./web-address.ts";
import { Window } from "./window.tsx";

const text = english.list;
const noPage: SharedPage = { url: "", title: "" };

type OpenDialog =
  | { kind: "add"; shared: SharedPage }
  | { kind: "edit"; item: LocalItem }
  | { kind: "tags"; items: readonly LocalItem[] }
  | { kind: "shortcuts" };

interface ListPageProps {
  session: Session;
  change: ChangeList;
  /** A page that the address of the reader asked to save. */
  shared: SharedPage | undefined;
  onImport(file: File): void;
}

export function ListPage({ session, change, shared, onImport }: ListPageProps) {
  const { route: router, settings, notices } = useReader();
  const route = useObservable(router);
  const { order } = useObservable(settings);
  const items = useObservable(session.list.items);
  const minutes = useObservable(session.texts.minutes);
  const { lastSuccess } = useObservable(session.syncer.status);
  const [texts, setTexts] = useState<ReadonlyMap<string, string>>();
  const [dialog, setDialog] = useState<OpenDialog | undefined>(shared && { kind: "add", shared });
  const [selected, setSelected] = useState<ReadonlySet<string>>();
  const [currentUrl, setCurrentUrl] = useState<string>();
  const searchField = useRef<HTMLInputElement>(null);

  const { view, tag, search } = route;
  const inOrder = useMemo(
    () => ({
      unread: itemsOfView(items ?? [], "unread", order),
      archive: itemsOfView(items ?? [], "archive", order),
    }),
    [items, order],
  );
  const filtered = useMemo(
    () => ({
      unread: filterItems(inOrder.unread, { tag, search }, texts),
      archive: filterItems(inOrder.archive, { tag, search }, texts),
    }),
    [inOrder, tag, search, texts],
  );
  const tags = useMemo(() => countTags(items ?? []), [items]);
  const knownTags = useMemo(() => tags.map(([tag]) => tag), [tags]);
  useEffect(() => {
    // The cached texts are read when somebody searches, and again when there are others.
    if (search) void session.texts.searchable().then(setTexts, () => {});
  }, [search === undefined, minutes]);

  const shown = filtered[view];
  const current = useCurrent(shown, currentUrl, setCurrentUrl);
  const selectedItems = selected ? shown.filter(({ url }) => selected.has(url)) : [];

  const mark = (items: readonly LocalItem[]) => {
    const kind = view === "archive" ? "add" : "read";
    const message = view === "archive" ? english.notices.unread : english.notices.archived;
    void change(
      items.map(({ url }): Change => ({ kind, url })),
      message(items.length),
    );
  };
  const remove = (items: readonly LocalItem[]) => {
    const changes = items.map(({ url }): Change => ({ kind: "delete", url }));
    void change(changes, english.notices.deleted(items.length), { hold: noticeDuration });
  };
  const toggle = ({ url }: LocalItem) => {
    const next = new Set(selected);
    if (!next.delete(url)) next.add(url);
    setSelected(next);
  };
  const actions: RowActions = {
    archive: (item) => mark([item]),
    delete: (item) => remove([item]),
    edit: (item) => setDialog({ kind: "edit", item }),
    toggle,
    focus: ({ url }) => setCurrentUrl(url),
  };
  /** Acts on the selected items, or else on the current one. */
  const act = (on: (items: readonly LocalItem[]) => void) => () => {
    const { item } = current;
    const items = selected ? selectedItems : item ? [item] : [];
    if (items.length > 0) on(items);
    setSelected(undefined);
  };
  const reverse = () => {
    settings.value = { ...settings.value, order: order === "newest" ? "oldest" : "newest" };
  };
  const show = (change: Partial<typeof route>) => {
    router.value = { ...route, ...change };
    scrollTo(0, 0);
  };

  useShortcuts({
    j: () => current.move(1),
    k: () => current.move(-1),
    ArrowDown: () => current.move(1),
    ArrowUp: () => current.move(-1),
    v: () => current.item && open(current.item.url, "_blank", "noreferrer"),
    e: act(mark),
    "#": act(remove),
    Delete: act(remove),
    r: () => current.item && actions.edit(current.item),
    x: () => current.item && toggle(current.item),
    z: () => notices.act(),
    "/": () => searchField.current?.select(),
    a: () => setDialog({ kind: "add", shared: noPage }),
    1: () => show({ view: "unread" }),
    2: () => show({ view: "archive" }),
    o: reverse,
    s: () => session.syncer.syncNow(),
    "?": () => setDialog({ kind: "shortcuts" }),
    Escape: () => (selected ? setSelected(undefined) : show({ tag: undefined, search: undefined })),
  });

  const viewName = view === "archive" ? text.archive : text.unread;
  return (
    <>
      <header class="top">
        <h1>{english.name}</h1>
        <search class="search">
          <Icon name="search" />
          <input
            ref={searchField}
            type="search"
            name="search"
            aria-label={text.search}
            placeholder={text.searchHint}
            autocomplete="off"
            dir="auto"
            value={search ?? ""}
            onInput={({ currentTarget: { value } }) => show({ search: value || undefined })}
            onKeyDown={({ key, currentTarget }) => {
              if (key === "Escape" || key === "Enter") currentTarget.blur();
            }}
          />
        </search>
        <SyncButton session={session} />
        <button
          type="button"
          class="plain"
          aria-label={english.add.title}
          title={english.add.title}
          onClick={() => setDialog({ kind: "add", shared: noPage })}
        >
          <Icon name="add" />
        </button>
        <Menu session={session} onShortcuts={() => setDialog({ kind: "shortcuts" })} onImport={onImport} />
      </header>
      <main class="list">
        <div class="bar">
          {selected ? (
            <>
              <span class="bar-title" role="status">
                {text.selected(selectedItems.length)}
              </span>
              <button type="button" class="plain" onClick={() => setSelected(new Set(shown.map(({ url }) => url)))}>
                {text.selectAll}
              </button>
              <button type="button" class="plain" disabled={selectedItems.length === 0} onClick={act(mark)}>
                {view === "archive" ? text.markUnread : text.markRead}
              </button>
              <button
                type="button"
                class="plain"
                disabled={selectedItems.length === 0}
                onClick={act((items) => setDialog({ kind: "tags", items }))}
              >
                {text.addTags}
              </button>
              <button type="button" class="plain" disabled={selectedItems.length === 0} onClick={act(remove)}>
                {text.delete}
              </button>
              <button type="button" class="plain strong" onClick={() => setSelected(undefined)}>
                {text.done}
              </button>
            </>
          ) : (
            <>
              <nav class="views">
                {(["unread", "archive"] as const).map((name) => (
                  <a
                    key={name}
                    href={formatRoute({ ...route, view: name })}
                    aria-current={view === name ? "page" : undefined}
                    onClick={() => scrollTo(0, 0)}
                  >
                    {text[name]} <span class="count">{filtered[name].length.toLocaleString("en")}</span>
                  </a>
                ))}
              </nav>
              {tags.length > 0 && (
                <span class="plain-select" title={text.tags}>
                  <Icon name="tag" />
                  <select
                    aria-label={text.tags}
                    value={tag ?? ""}
                    onChange={({ currentTarget: { value } }) => show({ tag: value || undefined })}
                  >
                    <option value="">{text.showAllTags}</option>
                    {tags.map(([name, count]) => (
                      <option key={name} value={name}>
                        {name} ({count})
                      </option>
                    ))}
                  </select>
                </span>
              )}
              <button
                type="button"
                class="plain"
                aria-label={order === "newest" ? text.oldestFirst : text.newestFirst}
                title={order === "newest" ? text.oldestFirst : text.newestFirst}
                onClick={reverse}
              >
                <Icon name="order" />
              </button>
              <button
                type="button"
                class="plain"
                aria-label={text.select}
                title={text.select}
                onClick={() => setSelected(new Set())}
              >
                <Icon name="select" />
              </button>
            </>
          )}
        </div>
        {tag && (
          <p class="filter">
            <bdi>{text.taggedWith(tag)}</bdi>
            <button type="button" class="plain" aria-label={text.showAllTags} onClick={() => show({ tag: undefined })}>
              <Icon name="close" />
            </button>
          </p>
        )}
        {items === undefined || (shown.length === 0 && items.length === 0 && !lastSuccess) ? (
          <p class="empty">{text.loading}</p>
        ) : shown.length === 0 ? (
          <div class="empty">
            <p>{tag || search ? text.nothingFound : view === "archive" ? text.nothingArchived : text.nothing}</p>
            {!tag && !search && view === "unread" && <p class="hint">{text.nothingHint}</p>}
          </div>
        ) : (
          <Window
            items={shown}
            keyOf={({ url }) => url}
            label={text.label(viewName, shown.length)}
            current={current.index}
          >
            {(item, index) => (
              <ItemRow
                item={item}
                minutes={minutes.get(item.url)}
                route={route}
                isCurrent={index === Math.max(0, current.index)}
                isSelecting={selected !== undefined}
                isSelected={selected?.has(item.url) ?? false}
                actions={actions}
              />
            )}
          </Window>
        )}
      </main>
      {dialog?.kind === "add" && (
        <AddDialog
          shared={dialog.shared}
          knownTags={knownTags}
          onAdd={(addition) => void change([addition], english.notices.added)}
          onClose={() => setDialog(undefined)}
        />
      )}
      {dialog?.kind === "edit" && (
        <EditDialog
          item={dialog.item}
          knownTags={knownTags}
          onChange={(changes) => void change(changes, english.notices.changed(1))}
          onClose={() => setDialog(undefined)}
        />
      )}
      {dialog?.kind === "tags" && (
        <AddTagsDialog
          items={dialog.items}
          knownTags={knownTags}
          onChange={(changes) => void change(changes, english.notices.changed(changes.length))}
          onClose={() => setDialog(undefined)}
        />
      )}
      {dialog?.kind === "shortcuts" && <ShortcutsDialog onClose={() => setDialog(undefined)} />}
    </>
  );
}

/**
 * The item that keys act on: the one that has, or had last, the focus. If it leaves the list, the one that takes its
 * place follows, with the focus if it had it.
 */
function useCurrent(shown: readonly LocalItem[], url: string | undefined, setUrl: (url: string) => void) {
  const found = url === undefined ? -1 : shown.findIndex((item) => item.url === url);
  const lastIndex = useRef(-1);
  const hadFocus = useRef(false);
  const isGone = found < 0 && url !== undefined && shown.length > 0;
  const index = isGone ? Math.min(Math.max(0, lastIndex.current), shown.length - 1) : found;
  const item = shown[index];
  useLayoutEffect(() => {
    if (isGone && item) {
      setUrl(item.url);
      if (hadFocus.current) focusRow(item.url);
    }
    lastIndex.current = index;
  });
  useEffect(() => {
    const remember = () => {
      hadFocus.current = document.activeElement?.closest(".row") != null;
    };
    document.addEventListener("focusin", remember);
    return () => document.removeEventListener("focusin", remember);
  }, []);
  return {
    index,
    item,
    move(step: 1 | -1) {
      const isFocused = document.activeElement?.closest(".row") != null;
      // The first key returns to the current row; the next ones leave it.
      const next = shown[isFocused || index < 0 ? Math.max(0, Math.min(shown.length - 1, index + step)) : index];
      if (!next) return;
      setUrl(next.url);
      requestAnimationFrame(() => focusRow(next.url));
    },
  };
}

function focusRow(url: string): void {
  const row = document.querySelector(`[data-url="${CSS.escape(url)}"]`);
  row?.querySelector<HTMLElement>(".row-title")?.focus({ preventScroll: true });
  row?.scrollIntoView({ block: "nearest" });
}
