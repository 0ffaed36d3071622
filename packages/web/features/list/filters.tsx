// SPDX-License-Identifier: MIT

import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { countSites } from "../../data/filter-items.ts";
import { useReader } from "../../data/reader.ts";
import type { Count } from "../../data/visible-items.ts";
import { laterTexts } from "../../kit/later-texts.ts";
import { useObservable } from "../../kit/observable.ts";
import { isFiltered, type Route } from "../../kit/router.ts";
import type { Settings } from "../../kit/settings.ts";
import { firstTexts } from "../../kit/texts.ts";
import type { BarProps } from "./list-bar.tsx";
import { SaveButton } from "./save-button.tsx";

const text = laterTexts.filters;
const maxSites = 200;

interface FiltersProps extends BarProps {
  /** The saved filters. */
  children: ComponentChildren;
}

/** The fields of the filters and of the order. */
export function Filters({ visible: { all, tags }, route, saved, onShow, children }: FiltersProps) {
  const { settings } = useReader();
  const { order } = useObservable(settings);
  const { tag, site, length, isUntagged } = route;
  const sites = useMemo(() => countSites(all ?? []), [all]);
  return (
    <>
      <Choice
        name={text.order}
        value={order}
        values={Object.entries(text.orders)}
        onChange={(value) => {
          settings.value = { ...settings.value, order: value as Settings["order"] };
        }}
      />
      <Choice
        name={firstTexts.list.tags}
        value={isUntagged ? "" : (tag ?? "*")}
        values={[["*", text.anyTag], ["", firstTexts.filters.untagged], ...tags.map(withCount)]}
        onChange={(value) =>
          onShow({ tag: value === "*" ? undefined : value || undefined, isUntagged: value === "" || undefined })
        }
      />
      <Choice
        name={text.site}
        value={site ?? ""}
        values={[["", text.anySite], ...sites.slice(0, maxSites).map(withCount)]}
        onChange={(value) => onShow({ site: value || undefined })}
      />
      <Choice
        name={text.length}
        value={length ?? ""}
        values={[["", text.anyLength], ...Object.entries(firstTexts.filters.lengths)]}
        onChange={(value) => onShow({ length: (value || undefined) as Route["length"] })}
      />
      {isFiltered(route) && <SaveButton filter={route} saved={saved} isLabelled />}
      <div class="saved">{children}</div>
    </>
  );
}

const withCount = ([value, count]: Count): [string, string] => [value, `${value} (${count})`];

interface ChoiceProps {
  name: string;
  value: string;
  values: [value: string, name: string][];
  onChange(value: string): void;
}

function Choice({ name, value, values, onChange }: ChoiceProps) {
  return (
    <label>
      {name}
      <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {values.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}
