import type { Change, LocalItem } from "@reading-list/client/main.ts";
import { useState } from "preact/hooks";
import { Dialog } from "../app/dialog.tsx";
import { english } from "../app/english.ts";
import { TagsField } from "./tags-field.tsx";
import { type SharedPage, webAddressIn } from "./web-address.ts";

interface AddDialogProps {
  shared: SharedPage;
  knownTags: readonly string[];
  onAdd(change: Change): void;
  onClose(): void;
}

export function AddDialog({ shared, knownTags, onAdd, onClose }: AddDialogProps) {
  const [tags, setTags] = useState<string[]>([]);
  const [error, setError] = useState("");
  function submit(event: SubmitEvent) {
    event.preventDefault();
    const fields = new FormData(event.currentTarget as HTMLFormElement);
    const url = webAddressIn(String(fields.get("url")));
    if (!url) return setError(english.add.notAnAddress);
    const title = String(fields.get("title")).trim();
    onAdd({ kind: "add", url, ...(title && { title }), ...(tags.length > 0 && { tags }) });
    onClose();
  }
  return (
    <Dialog title={english.add.title} onClose={onClose}>
      <form onSubmit={submit}>
        <label>
          {english.add.url}
          <input
            name="url"
            inputMode="url"
            required
            maxLength={4096}
            autofocus={!shared.url}
            defaultValue={shared.url}
          />
        </label>
        <p class="error" role="alert">
          {error}
        </p>
        <label>
          {english.add.pageTitle}
          <input name="title" dir="auto" maxLength={1000} defaultValue={shared.title} />
        </label>
        <TagsField tags={tags} known={knownTags} onChange={setTags} />
        <button type="submit" class="primary" autofocus={!!shared.url}>
          {english.save}
        </button>
      </form>
    </Dialog>
  );
}

interface EditDialogProps {
  item: LocalItem;
  knownTags: readonly string[];
  onChange(changes: Change[]): void;
  onClose(): void;
}

export function EditDialog({ item, knownTags, onChange, onClose }: EditDialogProps) {
  const { url } = item;
  const [tags, setTags] = useState(item.tags);
  function submit(event: SubmitEvent) {
    event.preventDefault();
    const title = String(new FormData(event.currentTarget as HTMLFormElement).get("title")).trim();
    const changes: Change[] = [];
    if (title && title !== item.title) changes.push({ kind: "title", url, title });
    if (tags.join() !== item.tags.join()) changes.push({ kind: "tags", url, tags });
    if (changes.length > 0) onChange(changes);
    onClose();
  }
  return (
    <Dialog title={english.edit.title} onClose={onClose}>
      <form onSubmit={submit}>
        <label>
          {english.edit.pageTitle}
          <input name="title" dir="auto" required autofocus maxLength={1000} defaultValue={item.title} />
        </label>
        <TagsField tags={tags} known={knownTags} onChange={setTags} />
        <a href={url} target="_blank" rel="noreferrer" dir="ltr" class="address">
          {url}
        </a>
        <button type="submit" class="primary">
          {english.save}
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
    const changes = items.map(
      (item): Change => ({ kind: "tags", url: item.url, tags: [...new Set([...item.tags, ...tags])] }),
    );
    if (tags.length > 0) onChange(changes);
    onClose();
  }
  return (
    <Dialog title={english.list.addTags} onClose={onClose}>
      <form onSubmit={submit}>
        <TagsField tags={tags} known={knownTags} onChange={setTags} />
        <button type="submit" class="primary">
          {english.save}
        </button>
      </form>
    </Dialog>
  );
}
