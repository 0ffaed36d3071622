// SPDX-License-Identifier: MIT

import type { ComponentChildren } from "preact";
import { formatRoute } from "../../kit/router.ts";
import { firstTexts, formatNumber } from "../../kit/texts.ts";
import type { BarProps } from "./bar-props.ts";

const text = firstTexts.list;

/** The two views with their counts. */
export function ViewBar({
  visible,
  route,
  children,
}: Pick<BarProps, "visible" | "route"> & { children: ComponentChildren }) {
  return (
    <div class="bar">
      <nav class="views">
        {(["unread", "archive"] as const).map((name) => (
          <a
            key={name}
            href={formatRoute({ ...route, view: name })}
            aria-current={route.view === name ? "page" : undefined}
            onClick={() => scrollTo(0, 0)}
          >
            {text[name]} <span class="count">{formatNumber(visible[name].length)}</span>
          </a>
        ))}
      </nav>
      {children}
    </div>
  );
}
