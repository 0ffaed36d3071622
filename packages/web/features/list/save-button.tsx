// SPDX-License-Identifier: MIT

import { useReader } from "../../data/reader.ts";
import type { SavedFilters } from "../../data/saved-filters.ts";
import { Icon, IconButton } from "../../kit/icons.tsx";
import { laterTexts } from "../../kit/later-texts.ts";
import { useObservable } from "../../kit/observable.ts";
import { type Filter, filterKey } from "../../kit/router.ts";

const { search: searchTexts, filters: filterTexts } = laterTexts;

interface SaveButtonProps {
  filter: Filter;
  saved: SavedFilters;
  isLabelled?: boolean;
}

/** Saves a search, or the filters that apply, or removes them; absent if there is no place for more. */
export function SaveButton({ filter, saved, isLabelled }: SaveButtonProps) {
  const { notices } = useReader();
  const text = filter.search ? searchTexts : filterTexts;
  const isSaved = useObservable(saved.all).some((each) => filterKey(each) === filterKey(filter));
  if (!isSaved && saved.isFull) return null;
  const name = isSaved ? text.forget : text.save;
  const toggle = () => {
    const undo = saved.toggle(filter);
    notices.done(isSaved ? text.forgotten : text.saved, async () => undo());
  };
  if (!isLabelled) return <IconButton icon="bookmark" isFilled={isSaved} name={name} onClick={toggle} />;
  return (
    <button type="button" class="plain" onClick={toggle}>
      <Icon name="bookmark" isFilled={isSaved} />
      {name}
    </button>
  );
}
