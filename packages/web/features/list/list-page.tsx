// SPDX-License-Identifier: MIT

import type { LocalItem } from "@reading-list/client/main.ts";
import type { ComponentChildren } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import type { Place } from "../../data/place.ts";
import { useReader } from "../../data/reader.ts";
import type { Session } from "../../data/session.ts";
import type { ChangeList } from "../../data/use-changes.ts";
import type { VisibleItems } from "../../data/use-visible-items.ts";
import { tabTitle, useDocumentTitle } from "../../kit/document-title.ts";
import { IconButton } from "../../kit/icons.tsx";
import { useObservable } from "../../kit/observable.ts";
import { formatRoute, type Route } from "../../kit/router.ts";
import { firstTexts } from "../../kit/texts.ts";
import type { ItemDialog } from "./change-dialog.tsx";
import { FilterLine, FilterMenu, SideBar } from "./filter-menu.tsx";
import { listActions } from "./list-actions.ts";
import { ViewBar } from "./list-bar.tsx";
import { ListHeader } from "./list-header.tsx";
import type { RowActions } from "./row-buttons.tsx";
import { Rows } from "./rows.tsx";
import { useCurrent } from "./use-current.ts";
import { useListKeys } from "./use-list-keys.ts";
import { useSelection } from "./use-selection.ts";

const text = firstTexts.list;

export interface ListPageProps {
  session: Session;
  visible: VisibleItems;
  change: ChangeList;
  place: Place;
  /** Stand at the end of the header. */
  tools: ComponentChildren;
  /** Returns the first steps, which an empty list shows; they call `add` to open the form. */
  firstSteps(add: () => void): ComponentChildren;
  onShortcuts(): void;
  /** Undefined until they are loaded. */
  later: Later | undefined;
}

export function ListPage({
  session,
  visible,
  change,
  place,
  tools: headerTools,
  firstSteps,
  onShortcuts,
  later,
}: ListPageProps) {
  const { route: router, notices } = useReader();
  const route = useObservable(router);
  const [dialog, setDialog] = useState<OpenDialog>();
  const searchField = useRef<HTMLInputElement>(null);

  useDocumentTitle(
    tabTitle(route.search, route.tag ?? route.site, route.view === "archive" ? text.archive : undefined),
  );
  const current = useCurrent(visible.shown, place);
  const selection = useSelection(visible.shown);
  const { list, actions, act } = useActions(change, current, selection, setDialog);
  const show = (change: Partial<Route>) => {
    router.value = { ...route, ...change };
    scrollTo(0, 0);
  };
  const add = () => setDialog({ kind: "add" });

  useListKeys(current, actions, {
    e: act(list.mark),
    f: act(list.star),
    "#": act(list.remove),
    Delete: act(list.remove),
    "/": () => searchField.current?.select(),
    a: add,
    1: () => show({ view: "unread" }),
    2: () => show({ view: "archive" }),
    s: () => session.syncer.request(),
    m: () => {
      location.hash = formatRoute({ view: route.view, page: "marks" });
    },
    "?": onShortcuts,
    Escape: () => (selection.items ? selection.end() : show(showAll)),
  });

  const saved = session.savedFilters;
  const bar = { visible, route, saved, onShow: show };
  const tools = (
    <>
      <FilterMenu {...bar} Filters={later?.Filters} />
      <IconButton icon="select" name={text.select} onClick={selection.begin} />
    </>
  );
  return (
    <>
      <ListHeader
        search={route.search}
        field={searchField}
        tools={headerTools}
        onSearch={(search) => show({ search })}
        onFocus={visible.expectSearch}
        onDown={() => current.move(1)}
        onAdd={add}
      />
      <div class="columns">
        <SideBar {...bar} />
        <main class={visible.findings ? "list searching" : "list"}>
          {selection.items && later ? (
            <later.SelectionBar
              isRead={areRead(selection.items, route)}
              count={selection.items.length}
              onAll={selection.selectAll}
              onMark={act(list.mark)}
              onTag={act((items) => setDialog({ kind: "tags", items }))}
              onDownload={(format) => act((items) => void later.downloadPages(format, session, items, notices))()}
              onDelete={act(list.remove)}
              onDone={selection.end}
            />
          ) : visible.findings && later ? (
            <later.SearchBar route={route} saved={saved} findings={visible.findings}>
              {tools}
            </later.SearchBar>
          ) : (
            <ViewBar visible={visible} route={route}>
              {tools}
            </ViewBar>
          )}
          <FilterLine route={route} onShow={show} onEditTag={(tag) => setDialog({ kind: "tag", tag })} />
          <Rows
            session={session}
            visible={visible}
            route={route}
            current={current}
            selection={selection}
            actions={actions}
            later={later}
            firstSteps={firstSteps(add)}
          />
          {later && visible.findings && (
            <later.MoreButton findings={visible.findings} onMore={() => session.search.more()} />
          )}
        </main>
      </div>
      {later && <later.MoreKeys current={current} selection={selection} shown={visible.shown} />}
      <Dialogs
        dialog={dialog}
        session={session}
        visible={visible}
        change={change}
        later={later}
        onShow={show}
        onClose={() => setDialog(undefined)}
      />
    </>
  );
}

type Later = typeof import("./later.ts");
type OpenDialog = ItemDialog | { kind: "add" };

/** The actions of rows, and of the keys and buttons of the page. */
function useActions(
  change: ChangeList,
  current: ReturnType<typeof useCurrent>,
  selection: ReturnType<typeof useSelection>,
  open: (dialog: OpenDialog) => void,
) {
  const list = listActions(change);
  const actions = useStable({
    archive: (item) => list.mark([item]),
    delete: (item) => list.remove([item]),
    edit: (item) => open({ kind: "edit", item }),
    star: (item) => list.star([item]),
    toggle: selection.toggle,
    focus: current.set,
  });
  /** Acts on the selected items, or else on the current one. */
  const act = (on: (items: readonly LocalItem[]) => void) => () => {
    const { item } = current;
    const items = selection.items ?? (item ? [item] : []);
    if (items.length > 0) on(items);
    selection.end();
  };
  return { list, actions, act };
}

const showAll: Partial<Route> = {
  tag: undefined,
  site: undefined,
  length: undefined,
  isUntagged: undefined,
  search: undefined,
};

/**
 * The same functions at each rendering, which call the functions of the last one, so that rows need not be rendered
 * again.
 */
function useStable(functions: RowActions): RowActions {
  const latest = useRef(functions);
  latest.current = functions;
  return useMemo(() => {
    const names = Object.keys(functions) as (keyof RowActions)[];
    const stable = names.map((name) => [name, (item: LocalItem) => latest.current[name](item)]);
    return Object.fromEntries(stable) as RowActions;
  }, []);
}

interface DialogsProps extends Pick<ListPageProps, "session" | "visible" | "change" | "later"> {
  dialog: OpenDialog | undefined;
  onShow(change: Partial<Route>): void;
  onClose(): void;
}

function Dialogs({ session, visible, change, dialog, later, onShow, onClose }: DialogsProps) {
  if (!later || !dialog) return null;
  return dialog.kind === "add" ? (
    <later.AddDialog session={session} visible={visible} change={change} onClose={onClose} />
  ) : (
    <later.ChangeDialog
      dialog={dialog}
      session={session}
      visible={visible}
      change={change}
      onShow={onShow}
      onClose={onClose}
    />
  );
}

/** Whether all of these items are archived; without items, whether the archive is shown. */
const areRead = (items: readonly LocalItem[], { view }: Route) =>
  items.length === 0 ? view === "archive" : items.every(({ state }) => state === "read");
