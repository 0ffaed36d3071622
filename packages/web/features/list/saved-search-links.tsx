// SPDX-License-Identifier: MIT

import { useObservable } from "../../kit/observable.ts";
import { formatRoute } from "../../kit/router.ts";
import { firstTexts } from "../../kit/texts.ts";
import type { BarProps } from "./bar-props.ts";

/** Links to the saved searches. */
export function SavedSearchLinks({ saved, route }: Pick<BarProps, "saved" | "route">) {
  const searches = useObservable(saved.all);
  if (searches.length === 0) return null;
  return (
    <>
      <h2>{firstTexts.list.savedSearches}</h2>
      {searches.map((search) => (
        <a
          key={search}
          href={formatRoute({ view: route.view, search })}
          aria-current={route.search?.trim() === search ? "true" : undefined}
          onClick={() => scrollTo(0, 0)}
        >
          <bdi>{search}</bdi>
        </a>
      ))}
    </>
  );
}
