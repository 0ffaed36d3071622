// SPDX-License-Identifier: MIT

import { changeTags } from "@reading-list/client/change.ts";
import type { Change, LocalItem } from "@reading-list/client/main.ts";
import { useState } from "preact/hooks";
import { editItem } from "../../data/edit-item.ts";
import { type Count, countValues } from "../../data/visible-items.ts";
import { FormDialog } from "../../kit/form-dialog.tsx";
import { laterTexts } from "../../kit/later-texts.ts";
import { limitLength } from "../../kit/length-limit.ts";
import { firstTexts } from "../../kit/texts.ts";
import { TagChip, TagsField } from "./tags-field.tsx";

export interface EditDialogProps {
  item: LocalItem;
  knownTags: readonly Count[];
  onChange(changes: Change[]): void;
  onClose(): void;
}

/** Changes the title and the tags of an item. */
export function EditDialog({ item, knownTags, onChange, onClose }: EditDialogProps) {
  const { url } = item;
  const [tags, setTags] = useState(item.tags);
  function save(read: (field: string) => string) {
    const changes = editItem({ ...item, state: "unread" }, read("title"), item.tags, tags);
    if (changes.length > 0) onChange(changes);
    return undefined;
  }
  return (
    <FormDialog title={laterTexts.edit.title} onSave={save} onClose={onClose}>
      <label>
        {laterTexts.edit.pageTitle}
        <input name="title" dir="auto" required autofocus {...limitLength(1000)} defaultValue={item.title} />
      </label>
      <TagsField tags={tags} known={knownTags} onChange={setTags} />
      <a href={url} target="_blank" rel="noreferrer" dir="ltr" class="address">
        {url}
      </a>
    </FormDialog>
  );
}

/** Adds tags to several items, and removes tags from the items that have them. */
export function EditTagsDialog({
  items,
  knownTags,
  onChange,
  onClose,
}: Omit<EditDialogProps, "item"> & { items: readonly LocalItem[] }) {
  const [added, setAdded] = useState<readonly string[]>([]);
  const [removed, setRemoved] = useState<readonly string[]>([]);
  const given = countValues(items, ({ tags }) => tags).filter(([tag]) => !removed.includes(tag));
  function save() {
    const changes = items.flatMap((item) => {
      const kept = item.tags.filter((tag) => !removed.includes(tag));
      return changeTags(item, [...new Set([...kept, ...added])]);
    });
    if (changes.length > 0) onChange(changes);
    return undefined;
  }
  return (
    <FormDialog title={firstTexts.list.editTags} onSave={save} onClose={onClose}>
      {given.length > 0 && (
        <div class="tags-field">
          {given.map(([tag, count]) => (
            <TagChip key={tag} tag={tag} count={count} onRemove={() => setRemoved([...removed, tag])} />
          ))}
        </div>
      )}
      <TagsField tags={added} known={knownTags} onChange={setAdded} />
    </FormDialog>
  );
}
