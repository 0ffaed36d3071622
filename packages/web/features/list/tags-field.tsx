// SPDX-License-Identifier: MIT

import { useId, useState } from "preact/hooks";
import type { Count } from "../../data/visible-items.ts";
import { IconButton } from "../../kit/icons.tsx";
import { laterTexts } from "../../kit/later-texts.ts";
import { say } from "../../kit/texts.ts";

const text = laterTexts.add;

interface TagsFieldProps {
  tags: readonly string[];
  /** All tags of the list, which are suggested. */
  known: readonly Count[];
  onChange(tags: string[]): void;
}

/** Tags as removable chips, and a field that completes the next one. */
export function TagsField({ tags, known, onChange }: TagsFieldProps) {
  const [typed, setTyped] = useState("");
  const field = useId();
  const list = useId();
  const hint = useId();

  function take(value: string) {
    const added = value.split(",").map((tag) => tag.trim());
    onChange([...new Set([...tags, ...added])].filter(Boolean));
    setTyped("");
  }

  return (
    <div class="tags-field">
      <label for={field}>{text.tags}</label>
      {tags.map((tag) => (
        <span class="tag" key={tag}>
          <bdi>{tag}</bdi>
          <IconButton
            icon="close"
            name={say(text.removeTag, { tag })}
            onClick={() => onChange(tags.filter((other) => other !== tag))}
          />
        </span>
      ))}
      <input
        id={field}
        name="tag"
        aria-describedby={hint}
        dir="auto"
        list={list}
        autocomplete="off"
        value={typed}
        onInput={({ currentTarget: { value } }) => (value.includes(",") ? take(value) : setTyped(value))}
        onKeyDown={(event) => {
          if (event.key === "Enter" && typed.trim()) {
            event.preventDefault();
            take(typed);
          }
          if (event.key === "Backspace" && !typed) onChange(tags.slice(0, -1));
        }}
        onBlur={() => typed.trim() && take(typed)}
      />
      <datalist id={list}>
        {known
          .filter(([tag]) => !tags.includes(tag))
          .map(([tag]) => (
            <option key={tag} value={tag} />
          ))}
      </datalist>
      <p class="hint" id={hint}>
        {text.tagsHint}
      </p>
    </div>
  );
}
