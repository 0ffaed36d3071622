// SPDX-License-Identifier: MIT

import { changeTags } from "@reading-list/client/change.ts";
import type { Change, LocalItem } from "@reading-list/client/main.ts";
import { useState } from "preact/hooks";
import { useReader } from "../../data/reader.ts";
import type { Session } from "../../data/session.ts";
import { moveShares, ShareDialog } from "../../data/share-dialog.tsx";
import type { ChangeList } from "../../data/use-changes.ts";
import type { VisibleItems } from "../../data/use-visible-items.ts";
import type { Route } from "../../kit/router.ts";
import { firstTexts, say } from "../../kit/texts.ts";
import { EditDialog, EditTagsDialog } from "./edit-dialog.tsx";
import { RenameTagDialog } from "./rename-tag-dialog.tsx";

/** A dialog that changes an item, several, or a tag of all. */
export type ItemDialog =
  | { kind: "edit"; item: LocalItem }
  | { kind: "tags"; items: readonly LocalItem[] }
  | { kind: "tag"; tag: string };

interface ChangeDialogProps {
  dialog: ItemDialog;
  session: Session;
  visible: VisibleItems;
  change: ChangeList;
  /** Follows a tag to its new name. */
  onShow?: (change: Partial<Route>) => void;
  onClose(): void;
}

/** The dialog that changes an item, several, or a tag of all. */
export function ChangeDialog({ dialog, session, visible, change, onShow, onClose }: ChangeDialogProps) {
  const { all = [], tags } = visible;
  const { config } = useReader();
  const [isSharing, setSharing] = useState(false);
  const onChange = (changes: readonly Change[], count = changes.length) =>
    void change(changes, say(firstTexts.notices.changed, { number: count }));
  const common = { knownTags: tags, onClose };
  if (dialog.kind === "edit")
    return <EditDialog {...common} item={dialog.item} onChange={(changes) => onChange(changes, 1)} />;
  if (dialog.kind === "tags") return <EditTagsDialog {...common} items={dialog.items} onChange={onChange} />;
  const { tag } = dialog;
  if (isSharing) return <ShareDialog target={{ tag }} session={session} onClose={onClose} />;
  const replace = (replacement: string[]) => {
    const tagged = all.filter((item) => item.tags.includes(tag));
    onChange(
      tagged.flatMap((item) => {
        const others = item.tags.flatMap((other) => (other === tag ? replacement : [other]));
        return changeTags(item, [...new Set(others)]);
      }),
    );
    onShow?.({ tag: replacement[0] });
    onClose();
  };
  return (
    <RenameTagDialog
      tag={tag}
      known={tags.filter(([other]) => other !== tag)}
      onRename={(renamed) => {
        replace([renamed]);
        if (config.canShare) void moveShares(session.client, tag, renamed).catch(() => {});
      }}
      onDelete={() => replace([])}
      onShare={config.canShare ? () => setSharing(true) : undefined}
      onClose={onClose}
    />
  );
}
