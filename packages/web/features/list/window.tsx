// SPDX-License-Identifier: MIT

import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

interface WindowProps<T> {
  items: readonly T[];
  toKey(item: T): string;
  label: string;
  /** Index of the item that has, or had, the focus: it is rendered even if it is scrolled away. */
  current: number;
  /** Renders one item, which is as high as the CSS variable `--row`. */
  children(item: T, index: number): ComponentChildren;
}

/** Rows that are rendered above and below the visible ones. */
const margin = 6;

/**
 * A list of rows of one height that renders those on the screen only; the CSS variable `--columns` is the number of items
 * in a row. The page scrolls, not the list.
 */
export function Window<T>({ items, toKey, label, current, children }: WindowProps<T>) {
  const list = useRef<HTMLUListElement>(null);
  const [{ first, last, columns }, setRange] = useState({ first: 0, last: 20, columns: 1 });

  const place = () => {
    const element = list.current;
    if (!element) return;
    const rowHeight = element.firstElementChild?.getBoundingClientRect().height || innerHeight;
    const top = -element.getBoundingClientRect().top;
    const columns = Number(getComputedStyle(element).getPropertyValue("--columns")) || 1;
    const first = columns * (Math.floor(top / rowHeight) - margin);
    const last = columns * (Math.ceil((top + innerHeight) / rowHeight) + margin);
    setRange((range) =>
      range.first === first && range.last === last && range.columns === columns ? range : { first, last, columns },
    );
  };
  useLayoutEffect(place, [items.length]);
  useEffect(() => {
    addEventListener("scroll", place, { passive: true });
    addEventListener("resize", place);
    return () => {
      removeEventListener("scroll", place);
      removeEventListener("resize", place);
    };
  }, []);

  const from = Math.max(0, Math.min(first, items.length - (last - first)));
  const indexes = Array.from({ length: Math.max(0, Math.min(items.length, last) - from) }, (_, i) => from + i);
  if (current >= 0 && current < items.length && !indexes.includes(current)) indexes.push(current);
  return (
    <ul
      ref={list}
      class="rows"
      aria-label={label}
      style={{ height: `calc(var(--row) * ${Math.ceil(items.length / columns)})` }}
    >
      {indexes.map((index) => {
        const item = items[index] as T;
        return (
          <li
            key={toKey(item)}
            aria-setsize={items.length}
            aria-posinset={index + 1}
            style={{
              transform: `translateY(calc(var(--row) * ${Math.floor(index / columns)}))`,
              insetInlineStart: `${(100 * (index % columns)) / columns}%`,
            }}
          >
            {children(item, index)}
          </li>
        );
      })}
    </ul>
  );
}
