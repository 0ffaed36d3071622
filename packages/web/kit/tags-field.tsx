// SPDX-License-Identifier: MIT

import { tagKey } from "@reading-list/core/domain/condition.ts";
import { fold } from "@reading-list/core/domain/fold.ts";
import { useId, useState } from "preact/hooks";
import { IconButton } from "./icons.tsx";

/** Tags of the list; what follows a tag is ignored. */
type KnownTags = readonly (readonly [tag: string, ...others: unknown[]])[];

interface TagsFieldProps {
  texts: Record<"tags" | "tagsHint" | "suggestions", string> & { removeTag(tag: string): string };
  tags: readonly string[];
  /** All tags of the list, which are suggested. */
  known: KnownTags;
  onChange(tags: string[]): void;
}

interface TagChipProps {
  tag: string;
  /** How many of several pages have the tag. */
  count?: number;
  /** The name of its button. */
  remove: string;
  onRemove(): void;
}

/** A tag with a button that removes it. */
export const TagChip = ({ tag, count, remove, onRemove }: TagChipProps) => (
  <span class="tag">
    <bdi>{tag}</bdi>
    {count !== undefined && ` (${count})`}
    <IconButton icon="close" name={remove} onClick={onRemove} />
  </span>
);

/** Suggestions that are shown at once. */
const maxShown = 8;

/**
 * The field of the reader and the extension, which have their texts from elsewhere: tags as removable chips, and a
 * field that completes the next one, whatever case and accents are typed. A tag of the list that differs only in these
 * replaces a new one.
 */
export function TagsField({ texts, tags, known, onChange }: TagsFieldProps) {
  const [typed, setTyped] = useState("");
  /** The index of the suggestion that Enter selects; -1 for the typed text. */
  const [active, setActive] = useState(-1);
  const id = useId();
  const field = `${id}-field`;
  const sought = fold(typed.trim());
  const suggestions = sought
    ? known.filter(([tag]) => !tags.includes(tag) && fold(tag).includes(sought)).slice(0, maxShown)
    : [];

  function write(value: string) {
    setTyped(value);
    setActive(-1);
  }
  function take(value: string) {
    const added = value.split(",").map((tag) => findKnown(tag.trim(), tags, known));
    onChange([...new Set([...tags, ...added])].filter(Boolean));
    write("");
  }
  function press(event: KeyboardEvent) {
    const { key } = event;
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    if (step && suggestions.length > 0) {
      const places = suggestions.length + 1;
      setActive(((active + 1 + step + places) % places) - 1);
    } else if (key === "Enter" && typed.trim()) take(suggestions[active]?.[0] ?? typed);
    else if (key === "Escape" && suggestions.length > 0) write("");
    else {
      if (key === "Backspace" && !typed) onChange(tags.slice(0, -1));
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    <div class="tags-field">
      <label for={field}>{texts.tags}</label>
      {tags.map((tag) => (
        <TagChip
          key={tag}
          tag={tag}
          remove={texts.removeTag(tag)}
          onRemove={() => onChange(tags.filter((other) => other !== tag))}
        />
      ))}
      <input
        id={field}
        name="tag"
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={suggestions.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={active < 0 ? undefined : `${id}-${active}`}
        aria-describedby={`${id}-hint`}
        dir="auto"
        autocomplete="off"
        value={typed}
        onInput={({ currentTarget: { value } }) => (value.includes(",") ? take(value) : write(value))}
        onKeyDown={press}
        onBlur={() => typed.trim() && take(typed)}
      />
      <div
        id={`${id}-list`}
        role="listbox"
        aria-label={texts.suggestions}
        class="suggestions"
        hidden={suggestions.length === 0}
      >
        {suggestions.map(([tag], place) => (
          <button
            type="button"
            class="plain"
            key={tag}
            id={`${id}-${place}`}
            role="option"
            tabIndex={-1}
            aria-selected={place === active}
            // The field keeps the focus, so that it does not add the typed text as a tag.
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => take(tag)}
          >
            <bdi>{tag}</bdi>
          </button>
        ))}
      </div>
      <p class="hint" id={`${id}-hint`}>
        {texts.tagsHint}
      </p>
    </div>
  );
}

/**
 * The tag that a person means: a tag of the page or of the list, exactly or ignoring case and accents, otherwise a new
 * one.
 */
export function findKnown(typed: string, tags: readonly string[], known: KnownTags): string {
  const all = [...tags, ...known.map(([tag]) => tag)];
  const key = tagKey(typed);
  return all.includes(typed) ? typed : (all.find((tag) => tagKey(tag) === key) ?? typed);
}
