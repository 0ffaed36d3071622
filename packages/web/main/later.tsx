// SPDX-License-Identifier: MIT

import type { Session } from "../data/session.ts";
import type { ChangeList } from "../data/use-changes.ts";
import type { VisibleItems } from "../data/use-visible-items.ts";
import { ManageAccount } from "../features/account/manage-account.tsx";
import { ImportDialog } from "../features/import/import-dialog.tsx";
import { listenForPages } from "../features/import/listen-for-pages.ts";
import { AddDialog } from "../features/list/add-dialog.tsx";
import { ChangeDialog } from "../features/list/change-dialog.tsx";
import { saveShared } from "../features/list/save-shared.ts";
import { TagsPage } from "../features/list/tags-page.tsx";
import { MarksPage } from "../features/marks/marks-page.tsx";
import { ExportDialog } from "../features/menu/export-dialog.tsx";
import { SettingsPage } from "../features/menu/settings-page.tsx";
import { ShortcutsDialog } from "../features/menu/shortcuts.tsx";
import { TrashPage } from "../features/trash/trash-page.tsx";
import type { Arrival } from "../kit/arrival.ts";
import type { ExportFormat } from "../kit/later-texts.ts";
import type { Route } from "../kit/router.ts";
import type { SharedPage, SharedRef } from "../kit/shared-page.ts";
import { useLoaded } from "../kit/use-loaded.ts";
import "../kit/opened-links.ts";

// The page loads this module after its first rendering. Articles have a separate module.
export * as list from "../features/list/later.ts";
export { FirstSteps } from "../features/menu/first-steps.tsx";
export { Menu } from "../features/menu/menu.tsx";

/** A dialog above the page: of an imported file, a page that a link names, or the tags of a page. */
export type ShownDialog = File | "export" | "shortcuts" | { shared: SharedPage } | { tagsOf: string };

interface SharedProps {
  session: Session;
  change: ChangeList;
  onDialog(dialog: ShownDialog | undefined): void;
}

interface OpenedDialogProps extends SharedProps {
  dialog: ShownDialog;
  visible: VisibleItems;
}

/** Saves the page that the address of the reader names, and those that are pasted or dropped, until it is ended. */
export function receivePages(
  shared: SharedRef,
  session: Session,
  change: ChangeList,
  onDialog: SharedProps["onDialog"],
) {
  const page = shared.current;
  shared.current = undefined;
  void saveShared(page, session, change, (url) => onDialog({ tagsOf: url })).then(
    (asked) => asked && onDialog({ shared: asked }),
  );
  return listenForPages(change, session.list, onDialog);
}

export function OpenedDialog({ dialog, session, visible, change, onDialog }: OpenedDialogProps) {
  const onClose = () => onDialog(undefined);
  if (dialog instanceof File) return <ImportDialog file={dialog} session={session} change={change} onClose={onClose} />;
  if (dialog === "shortcuts") return <ShortcutsDialog onClose={onClose} />;
  const common = { session, visible, change, onClose };
  if (typeof dialog === "object" && "shared" in dialog) return <AddDialog shared={dialog.shared} {...common} />;
  if (typeof dialog === "object") {
    const item = session.list.find(dialog.tagsOf);
    return item ? <ChangeDialog dialog={{ kind: "tags", items: [item] }} {...common} /> : null;
  }
  return <ExportDialog session={session} onExport={(format) => exportAs(format, session)} onClose={onClose} />;
}

/** The formats are loaded for an export. */
async function exportAs(format: ExportFormat, { list, marks, texts }: Session): Promise<void> {
  const { downloadExport } = await import("../features/import/write-export.ts");
  await downloadExport(format, list.items.value ?? [], marks.all.value ?? [], (url) => texts.findCached(url));
}

interface PageProps extends SharedProps {
  route: Route;
  visible: VisibleItems;
  arrival: Arrival | undefined;
  onArrived(): void;
  onClose(): void;
}

/** The page that the route has instead of the list. */
export function Page({ route, visible, session, change, arrival, onArrived, onDialog, onClose }: PageProps) {
  if (route.page === "marks") return <MarksPage session={session} items={visible.all ?? []} onClose={onClose} />;
  if (route.page === "tags") return <TagsPage session={session} visible={visible} change={change} onClose={onClose} />;
  if (route.page === "duplicates")
    return <Duplicates session={session} items={visible.all ?? []} change={change} onClose={onClose} />;
  if (route.page === "trash") return <TrashPage session={session} change={change} onClose={onClose} />;
  if (route.page === "account")
    return (
      <ManageAccount
        username={session.username}
        arrival={arrival}
        onArrived={onArrived}
        onClose={onClose}
        onExport={() => onDialog("export")}
      />
    );
  return (
    <SettingsPage
      section={route.section}
      session={session}
      onClose={onClose}
      onImport={onDialog}
      onExport={() => onDialog("export")}
    />
  );
}

type DuplicatesModule = typeof import("../features/duplicates/duplicates-page.tsx");

function Duplicates(props: Parameters<DuplicatesModule["DuplicatesPage"]>[0]) {
  const loaded = useLoaded<DuplicatesModule>(() => import("../features/duplicates/duplicates-page.tsx"));
  return loaded ? <loaded.DuplicatesPage {...props} /> : null;
}
