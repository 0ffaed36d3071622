// SPDX-License-Identifier: MIT

import type { ComponentChildren, RefObject } from "preact";
import { Icon, IconButton } from "../../kit/icons.tsx";
import { firstTexts } from "../../kit/texts.ts";

interface ListHeaderProps {
  search: string | undefined;
  field: RefObject<HTMLInputElement | null>;
  tools: ComponentChildren;
  onSearch(search: string | undefined): void;
  /** The field gets the focus, or loses it. */
  onFocus(hasFocus: boolean): void;
  /** Goes from the field to the list. */
  onDown(): void;
  onAdd(): void;
}

/** The name, the search field, the button that adds a page, and tools. */
export function ListHeader({ search, field, tools, onSearch, onFocus, onDown, onAdd }: ListHeaderProps) {
  return (
    <header class="top">
      <h1>{firstTexts.name}</h1>
      <search class="search">
        <Icon name="search" />
        <input
          ref={field}
          type="search"
          name="search"
          aria-label={firstTexts.list.search}
          placeholder={firstTexts.list.search}
          title={firstTexts.list.searchHint}
          autocomplete="off"
          maxlength={500}
          dir="auto"
          value={search ?? ""}
          onFocus={() => onFocus(true)}
          onBlur={() => onFocus(false)}
          onInput={({ currentTarget: { value } }) => onSearch(value || undefined)}
          onKeyDown={(event) => {
            const { key, currentTarget } = event;
            if (key === "Escape" || key === "Enter") currentTarget.blur();
            if (key !== "ArrowDown") return;
            event.preventDefault();
            onDown();
          }}
        />
      </search>
      <IconButton icon="add" name={firstTexts.add.title} onClick={onAdd} />
      {tools}
    </header>
  );
}
