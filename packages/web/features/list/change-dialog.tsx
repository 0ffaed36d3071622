// SPDX-License-Identifier: MIT

import { changeTags } from "@reading-list/client/change.ts";
import type { Change, LocalItem } from "@reading-list/client/main.ts";
import type { ChangeList } from "../../data/use-changes.ts";
import type { VisibleItems } from "../../data/use-visible-items.ts";
import type { Route } from "../../kit/router.ts";
import { firstTexts, say } from "../../kit/texts.ts";
import { EditDialog, EditTagsDialog } from "./edit-dialog.tsx";
import { RenameTagDialog } from "./rename-tag-dialog.tsx";
import { findKnown } from "./tags-field.tsx";

/** A dialog that changes an item, several, or a tag of all. */
export type ItemDialog =
  | { kind: "edit"; item: LocalItem }
  | { kind: "tags"; items: readonly LocalItem[] }
  | { kind: "tag"; tag: string };

interface ChangeDialogProps {
  dialog: ItemDialog;
  visible: VisibleItems;
  change: ChangeList;
  onShow(change: Partial<Route>): void;
  onClose(): void;
}

/** The dialog that changes an item, several, or a tag of all. */
export function ChangeDialog({ dialog, visible: { all = [], tags }, change, onShow, onClose }: ChangeDialogProps) {
  const onChange = (changes: readonly Change[], count = changes.length) =>
    void change(changes, say(firstTexts.notices.changed, { number: count }));
  const common = { knownTags: tags, onClose };
  if (dialog.kind === "edit")
    return <EditDialog {...common} item={dialog.item} onChange={(changes) => onChange(changes, 1)} />;
  if (dialog.kind === "tags") return <EditTagsDialog {...common} items={dialog.items} onChange={onChange} />;
  const { tag } = dialog;
  const replace = (replacement: string[]) => {
    const tagged = all.filter((item) => item.tags.includes(tag));
    onChange(
      tagged.flatMap((item) => {
        const others = item.tags.flatMap((other) => (other === tag ? replacement : [other]));
        return changeTags(item, [...new Set(others)]);
      }),
    );
    onShow({ tag: replacement[0] });
    onClose();
  };
  return (
    <RenameTagDialog
      tag={tag}
      onRename={(name) => {
        const others = tags.filter(([other]) => other !== tag);
        replace([findKnown(name, [], others)]);
      }}
      onDelete={() => replace([])}
      onClose={onClose}
    />
  );
}
