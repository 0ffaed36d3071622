// SPDX-License-Identifier: MIT

import { Dialog } from "../../kit/dialog.tsx";
import { laterTexts } from "../../kit/later-texts.ts";
import { firstTexts, say } from "../../kit/texts.ts";

interface RenameTagDialogProps {
  tag: string;
  onRename(name: string): void;
  onDelete(): void;
  /** Undefined if the service shares nothing. */
  onShare: (() => void) | undefined;
  onClose(): void;
}

/** Renames a tag, or removes it from all pages. */
export function RenameTagDialog({ tag, onRename, onDelete, onShare, onClose }: RenameTagDialogProps) {
  function submit(event: SubmitEvent) {
    event.preventDefault();
    const name = String(new FormData(event.currentTarget as HTMLFormElement).get("name")).trim();
    if (name && name !== tag) onRename(name);
    else onClose();
  }
  return (
    <Dialog title={firstTexts.filters.editTag} onClose={onClose}>
      <form onSubmit={submit}>
        <label>
          {laterTexts.filters.tagName}
          <input
            name="name"
            dir="auto"
            required
            autofocus
            pattern="[^,]{1,200}"
            title={say(laterTexts.length, { number: 200 })}
            defaultValue={tag}
          />
        </label>
        <button type="submit" class="primary">
          {firstTexts.save}
        </button>
        {onShare && (
          <button type="button" onClick={onShare}>
            {laterTexts.filters.shareTag}
          </button>
        )}
        <button type="button" onClick={onDelete}>
          {laterTexts.filters.deleteTag}
        </button>
      </form>
    </Dialog>
  );
}
