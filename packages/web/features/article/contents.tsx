// SPDX-License-Identifier: MIT

import { useMemo, useRef } from "preact/hooks";
import { IconButton } from "../../kit/icons.tsx";
import { laterTexts } from "../../kit/later-texts.ts";
import { scrollInFrame } from "./position.ts";
import type { ShownText } from "./use-mark-layer.ts";

/** Headings from which on a text has a table of contents. */
const fewest = 3;
/** Pixels from the top of the screen, below the bar, at which a heading stands after a jump. */
const line = 80;

/** The headings of a text with several, in a popover; a click leads to one. */
export function Contents({ shown }: { shown: ShownText | undefined }) {
  const popover = useRef<HTMLElement>(null);
  const headings = useMemo(() => (shown ? headingsIn(shown.content) : []), [shown]);
  if (!shown || headings.length < fewest) return null;
  const highest = Math.min(...headings.map(headingLevel));
  const jump = (heading: HTMLElement) => {
    popover.current?.hidePopover();
    // A screen reader continues there.
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
    scrollInFrame(shown.frame, heading.getBoundingClientRect().top, line);
  };
  return (
    <>
      <IconButton icon="contents" name={laterTexts.article.contents} popovertarget="contents" />
      <nav id="contents" popover="auto" ref={popover} class="popover menu" aria-label={laterTexts.article.contents}>
        {headings.map((heading, i) => (
          <button
            key={i}
            type="button"
            class="plain"
            dir="auto"
            style={{ paddingInlineStart: `${0.75 + headingLevel(heading) - highest}rem` }}
            onClick={() => jump(heading)}
          >
            {heading.textContent}
          </button>
        ))}
      </nav>
    </>
  );
}

const headingsIn = (content: Document) =>
  [...content.querySelectorAll<HTMLElement>("h1, h2, h3, h4")].filter(({ textContent }) => textContent?.trim());

const headingLevel = ({ localName }: HTMLElement) => Number(localName.slice(1));
