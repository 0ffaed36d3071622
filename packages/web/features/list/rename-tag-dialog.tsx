// SPDX-License-Identifier: MIT

import { useState } from "preact/hooks";
import type { Count } from "../../data/visible-items.ts";
import { FormDialog } from "../../kit/form-dialog.tsx";
import { laterTexts } from "../../kit/later-texts.ts";
import { findKnown } from "../../kit/tags-field.tsx";
import { firstTexts, say } from "../../kit/texts.ts";

interface RenameTagDialogProps {
  tag: string;
  /** The other tags. */
  known: readonly Count[];
  onRename(name: string): void;
  onDelete(): void;
  /** Undefined if the service shares nothing. */
  onShare: (() => void) | undefined;
  onClose(): void;
}

/** Renames a tag, merges it with the tag that has the new name, or removes it from all pages. */
export function RenameTagDialog({ tag, known, onRename, onDelete, onShare, onClose }: RenameTagDialogProps) {
  const [typed, setTyped] = useState(tag);
  const name = findKnown(typed.trim(), [], known);
  const merges = known.some(([other]) => other === name);
  function save() {
    if (name && name !== tag) onRename(name);
    return undefined;
  }
  const others = (
    <>
      {onShare && (
        <button type="button" onClick={onShare}>
          {laterTexts.filters.shareTag}
        </button>
      )}
      <button type="button" onClick={onDelete}>
        {laterTexts.filters.deleteTag}
      </button>
    </>
  );
  return (
    <FormDialog
      title={firstTexts.filters.editTag}
      saveName={merges ? say(laterTexts.tags.merge, { tag: name }) : firstTexts.save}
      others={others}
      onSave={save}
      onClose={onClose}
    >
      <label>
        {laterTexts.filters.tagName}
        <input
          name="name"
          dir="auto"
          required
          autofocus
          pattern="[^,]{1,200}"
          title={say(laterTexts.length, { number: 200 })}
          value={typed}
          onInput={({ currentTarget: { value } }) => setTyped(value)}
        />
      </label>
    </FormDialog>
  );
}
