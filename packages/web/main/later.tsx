// SPDX-License-Identifier: MIT

import type { Session } from "../data/session.ts";
import type { ChangeList } from "../data/use-changes.ts";
import type { VisibleItems } from "../data/use-visible-items.ts";
import { ManageAccount } from "../features/account/manage-account.tsx";
import { ImportDialog } from "../features/import/import-dialog.tsx";
import { TagsPage } from "../features/list/tags-page.tsx";
import { MarksPage } from "../features/marks/marks-page.tsx";
import { ExportDialog } from "../features/menu/export-dialog.tsx";
import { SettingsPage } from "../features/menu/settings-page.tsx";
import { ShortcutsDialog } from "../features/menu/shortcuts.tsx";
import { TrashPage } from "../features/trash/trash-page.tsx";
import type { Arrival } from "../kit/arrival.ts";
import type { ExportFormat } from "../kit/later-texts.ts";
import type { Route } from "../kit/router.ts";
import { useLoaded } from "../kit/use-loaded.ts";

export { listenForPages } from "../features/import/listen-for-pages.ts";
// The page loads this module after its first rendering. Articles have a separate module.
export * as list from "../features/list/later.ts";
export { FirstSteps } from "../features/menu/first-steps.tsx";
export { Menu } from "../features/menu/menu.tsx";

/** A dialog above the page; a file is imported. */
export type ShownDialog = File | "export" | "shortcuts";

interface SharedProps {
  session: Session;
  change: ChangeList;
  onDialog(dialog: ShownDialog | undefined): void;
}

interface OpenedDialogProps extends SharedProps {
  dialog: ShownDialog;
}

export function OpenedDialog({ dialog, session, change, onDialog }: OpenedDialogProps) {
  const onClose = () => onDialog(undefined);
  if (dialog instanceof File) return <ImportDialog file={dialog} session={session} change={change} onClose={onClose} />;
  if (dialog === "shortcuts") return <ShortcutsDialog onClose={onClose} />;
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
