// SPDX-License-Identifier: MIT

import { changeTags } from "@reading-list/client/change.ts";
import type { Change, LocalItem } from "@reading-list/client/main.ts";
import { useState } from "preact/hooks";
import type { Count } from "../../data/visible-items.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { laterTexts } from "../../kit/later-texts.ts";
import { limitLength } from "../../kit/length-limit.ts";
import { firstTexts } from "../../kit/texts.ts";
import { changesOf } from "./changes-of.ts";
import { TagsField } from "./tags-field.tsx";

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
  function submit(event: SubmitEvent) {
    event.preventDefault();
    const title = String(new FormData(event.currentTarget as HTMLFormElement).get("title")).trim();
    const changes = changesOf({ ...item, state: "unread" }, title, item.tags, tags);
    if (changes.length > 0) onChange(changes);
    onClose();
  }
  return (
    <Dialog title={laterTexts.edit.title} onClose={onClose}>
      <form onSubmit={submit}>
        <label>
          {laterTexts.edit.pageTitle}
          <input name="title" dir="auto" required autofocus {...limitLength(1000)} defaultValue={item.title} />
        </label>
        <TagsField tags={tags} known={knownTags} onChange={setTags} />
        <a href={url} target="_blank" rel="noreferrer" dir="ltr" class="address">
          {url}
        </a>
        <button type="submit" class="primary">
          {firstTexts.save}
        </button>
      </form>
    </Dialog>
  );
}

/** Adds tags to several items. */
export function AddTagsDialog({
  items,
  knownTags,
  onChange,
  onClose,
}: Omit<EditDialogProps, "item"> & { items: readonly LocalItem[] }) {
  const [tags, setTags] = useState<string[]>([]);
  function submit(event: SubmitEvent) {
    event.preventDefault();
    const changes = items.flatMap((item) => changeTags(item, [...new Set([...item.tags, ...tags])]));
    if (changes.length > 0) onChange(changes);
    onClose();
  }
  return (
    <Dialog title={firstTexts.list.addTags} onClose={onClose}>
      <form onSubmit={submit}>
        <TagsField tags={tags} known={knownTags} onChange={setTags} />
        <button type="submit" class="primary">
          {firstTexts.save}
        </button>
      </form>
    </Dialog>
  );
}
