// SPDX-License-Identifier: MIT

import type { Change, LocalItem } from "@reading-list/client/main.ts";
import { maxLengths } from "@reading-list/core/domain/page-fields.ts";
import { useState } from "preact/hooks";
import type { ChangeList } from "../../data/use-changes.ts";
import type { VisibleItems } from "../../data/use-visible-items.ts";
import type { Count } from "../../data/visible-items.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { laterTexts } from "../../kit/later-texts.ts";
import { limitLength } from "../../kit/length-limit.ts";
import type { Route } from "../../kit/router.ts";
import { firstTexts, say } from "../../kit/texts.ts";
import { type SharedPage, webAddressesIn, webAddressIn } from "../../kit/web-address.ts";
import { TagsField } from "./tags-field.tsx";

/** A dialog that changes an item, several, or a tag of all. */
export type ItemDialog =
  | { kind: "edit"; item: LocalItem }
  | { kind: "tags"; items: readonly LocalItem[] }
  | { kind: "tag"; tag: string };

interface AddDialogProps {
  shared: SharedPage;
  tags: readonly Count[];
  /** The item of a page that is in the list. */
  find(url: string): LocalItem | undefined;
  onAdd(changes: Change[], notice: string): void;
  onClose(): void;
}

/**
 * Adds a page, or several whose addresses are in the field. For a page that is in the list it shows the title and tags, and
 * sends only those that the user changes.
 */
export function AddDialog({ shared, tags: knownTags, find, onAdd, onClose }: AddDialogProps) {
  const [address, setAddress] = useState(shared.url);
  const [title, setTitle] = useState<string>();
  const [tags, setTags] = useState<string[]>();
  const [error, setError] = useState("");
  const urls = typedAddresses(address);
  const [url] = urls;
  const hasSeveral = urls.length > 1;
  const known = url === undefined || hasSeveral ? undefined : find(url);
  const shownTitle = title ?? known?.title ?? shared.title;
  const shownTags = tags ?? known?.tags ?? [];

  function submit(event: SubmitEvent) {
    event.preventDefault();
    if (!url) return setError(laterTexts.add.notAnAddress);
    if (urls.some((each) => each.length > maxLengths.url))
      return setError(say(laterTexts.length, { number: maxLengths.url }));
    const title = shownTitle.trim();
    if (hasSeveral) {
      const changes = urls.flatMap((each) => addOrMerge(each, find(each), shownTags));
      const added = new Set(changes.map((change) => change.url)).size;
      onAdd(changes, added === 0 ? firstTexts.notices.known : say(firstTexts.notices.addedMany, { number: added }));
    } else if (known) onAdd(changesOf(known, title, shownTags), firstTexts.notices.known);
    else {
      const details = { ...(title && { title }), ...(shownTags.length > 0 && { tags: shownTags }) };
      onAdd([{ kind: "add", url, ...details }], firstTexts.notices.added);
    }
    onClose();
  }
  return (
    <Dialog title={firstTexts.add.title} onClose={onClose}>
      <form onSubmit={submit}>
        <label>
          {laterTexts.add.url}
          <input
            name="url"
            inputMode="url"
            required
            {...limitLength(maxTyped)}
            autofocus={!shared.url}
            value={address}
            onInput={({ currentTarget: { value } }) => setAddress(value)}
          />
        </label>
        <p class="error" role="alert">
          {error}
        </p>
        {known && (
          <p class="hint" role="status">
            {laterTexts.add.known}
          </p>
        )}
        {hasSeveral ? (
          <p class="hint" role="status">
            {say(laterTexts.add.several, { number: urls.length })}
          </p>
        ) : (
          <label>
            {laterTexts.add.pageTitle}
            <input
              name="title"
              dir="auto"
              {...limitLength(1000)}
              value={shownTitle}
              onInput={({ currentTarget: { value } }) => setTitle(value)}
            />
          </label>
        )}
        <TagsField tags={shownTags} known={knownTags} onChange={setTags} />
        <button type="submit" class="primary" autofocus={!!shared.url}>
          {firstTexts.save}
        </button>
      </form>
    </Dialog>
  );
}

/** Characters of the addresses that are typed or pasted at once. */
const maxTyped = 100_000;

/** The addresses in the field: its words if each is one, else those in its text. */
function typedAddresses(typed: string): string[] {
  const words = typed.trim().split(/\s+/).map(webAddressIn);
  return words.includes(undefined) ? webAddressesIn(typed) : [...new Set(words.flatMap((word) => word ?? []))];
}

/** The changes that make one of several pages unread, with more tags. */
const addOrMerge = (url: string, known: LocalItem | undefined, tags: readonly string[]): Change[] =>
  known
    ? changesOf(known, known.title, [...new Set([...known.tags, ...tags])])
    : [{ kind: "add", url, ...(tags.length > 0 && { tags }) }];

/** The changes of an item that has another title and tags, and is unread. */
function changesOf(item: LocalItem, title: string, tags: readonly string[]): Change[] {
  const { url } = item;
  const changes: Change[] = item.state === "read" ? [{ kind: "add", url }] : [];
  if (title && title !== item.title) changes.push({ kind: "title", url, title });
  if (tags.join() !== item.tags.join()) changes.push({ kind: "tags", url, tags });
  return changes;
}

interface EditDialogProps {
  item: LocalItem;
  knownTags: readonly Count[];
  onChange(changes: Change[]): void;
  onClose(): void;
}

function EditDialog({ item, knownTags, onChange, onClose }: EditDialogProps) {
  const { url } = item;
  const [tags, setTags] = useState(item.tags);
  function submit(event: SubmitEvent) {
    event.preventDefault();
    const title = String(new FormData(event.currentTarget as HTMLFormElement).get("title")).trim();
    const changes = changesOf({ ...item, state: "unread" }, title, tags);
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
function AddTagsDialog({
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

interface RenameTagDialogProps {
  tag: string;
  onRename(name: string): void;
  onDelete(): void;
  onClose(): void;
}

/** Renames a tag, or removes it from all pages. */
function RenameTagDialog({ tag, onRename, onDelete, onClose }: RenameTagDialogProps) {
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
        <button type="button" onClick={onDelete}>
          {laterTexts.filters.deleteTag}
        </button>
      </form>
    </Dialog>
  );
}

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
  if (dialog.kind === "tags") return <AddTagsDialog {...common} items={dialog.items} onChange={onChange} />;
  const { tag } = dialog;
  const replace = (replacement: string[]) => {
    const tagged = all.filter((item) => item.tags.includes(tag));
    onChange(
      tagged.map((item): Change => {
        const others = item.tags.flatMap((other) => (other === tag ? replacement : [other]));
        return { kind: "tags", url: item.url, tags: [...new Set(others)] };
      }),
    );
    onShow({ tag: replacement[0] });
    onClose();
  };
  return (
    <RenameTagDialog tag={tag} onRename={(name) => replace([name])} onDelete={() => replace([])} onClose={onClose} />
  );
}
