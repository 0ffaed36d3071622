// SPDX-License-Identifier: MIT

import { changeTags } from "@reading-list/client/change.ts";
import type { Change, LocalItem } from "@reading-list/client/main.ts";
import { maxLengths } from "@reading-list/core/domain/page-fields.ts";
import { withoutTracking } from "@reading-list/core/domain/tracking-parameters.ts";
import { useState } from "preact/hooks";
import { editItem } from "../../data/edit-item.ts";
import type { Session } from "../../data/session.ts";
import type { ChangeList } from "../../data/use-changes.ts";
import type { VisibleItems } from "../../data/use-visible-items.ts";
import { FormDialog } from "../../kit/form-dialog.tsx";
import { laterTexts } from "../../kit/later-texts.ts";
import { limitLength } from "../../kit/length-limit.ts";
import { type SharedPage, webAddressesIn, webAddressIn } from "../../kit/shared-page.ts";
import { firstTexts, say } from "../../kit/texts.ts";
import { TagsField } from "./tags-field.tsx";

interface AddDialogProps {
  /** The page that is asked about; undefined if the user names one. */
  shared?: SharedPage;
  session: Session;
  visible: VisibleItems;
  change: ChangeList;
  onClose(): void;
}

const noPage: SharedPage = { url: "", title: "" };

/**
 * Adds a page, or several whose addresses are in the field. For a page that is in the list it shows the title and tags,
 * and sends only the fields that the user changes.
 */
export function AddDialog({ shared = noPage, session, visible, change, onClose }: AddDialogProps) {
  const find = (url: string) => session.list.find(url);
  const [address, setAddress] = useState(shared.url);
  const [title, setTitle] = useState<string>();
  /** The tags as they were shown first, and as they are typed. */
  const [edited, setEdited] = useState<{ before: readonly string[]; tags: readonly string[] }>();
  const urls = typedAddresses(address).map((typed) => (find(typed) ? typed : withoutTracking(typed)));
  const [url] = urls;
  const hasSeveral = urls.length > 1;
  const known = url === undefined || hasSeveral ? undefined : find(url);
  const shownTitle = title ?? known?.title ?? shared.title;
  const { before, tags } = edited ?? { before: known?.tags ?? [], tags: known?.tags ?? [] };

  function save() {
    if (!url) return laterTexts.add.notAnAddress;
    if (urls.some((each) => each.length > maxLengths.url)) return say(laterTexts.length, { number: maxLengths.url });
    const title = shownTitle.trim();
    if (hasSeveral) {
      const changes = urls.flatMap((each) => addOrMerge(each, find(each), tags));
      const added = new Set(changes.map((change) => change.url)).size;
      void change(
        changes,
        added === 0 ? firstTexts.notices.known : say(firstTexts.notices.addedMany, { number: added }),
      );
    } else if (known) void change(editItem(known, title, before, tags), firstTexts.notices.known);
    else void change(addPage(url, tags, title), firstTexts.notices.added);
    return undefined;
  }
  return (
    <FormDialog title={firstTexts.add.title} focusesSave={!!shared.url} onSave={save} onClose={onClose}>
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
      <TagsField tags={tags} known={visible.tags} onChange={(typed) => setEdited({ before, tags: typed })} />
    </FormDialog>
  );
}

/** Characters of the addresses that are typed or pasted at once. */
const maxTyped = 100_000;

/** The addresses in the field: its words if each is one, else those in its text. */
function typedAddresses(typed: string): string[] {
  const words = typed.trim().split(/\s+/).map(webAddressIn);
  return words.includes(undefined) ? webAddressesIn(typed) : [...new Set(words.flatMap((word) => word ?? []))];
}

/** The changes that add a page. Its tags are a difference: another device may have added it with others. */
const addPage = (url: string, tags: readonly string[], title?: string): Change[] => [
  { kind: "add", url, ...(title && { title }) },
  ...changeTags({ url, tags: [] }, tags),
];

/** The changes that make one of several pages unread, with more tags. */
const addOrMerge = (url: string, known: LocalItem | undefined, tags: readonly string[]): Change[] =>
  known ? editItem(known, known.title, known.tags, [...new Set([...known.tags, ...tags])]) : addPage(url, tags);
