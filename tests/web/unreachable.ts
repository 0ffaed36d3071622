// SPDX-License-Identifier: MIT

import type { Page } from "playwright-core";

/** The controls of what is on top that a user cannot see whole, also by scrolling, or that something else covers. */
export const unreachable = (page: Page) =>
  page.evaluate(() => {
    const top = document.querySelector("dialog[open], :popover-open") ?? document.body;
    const controls = top.querySelectorAll<HTMLElement>("button, a[href], input, select, textarea, summary");
    const problems: string[] = [];
    for (const control of controls) {
      // A label, or a picture of a radio button, stands for a hidden field.
      const shown = control.matches("input.hidden, .segments input, .colors input")
        ? control.closest("label")
        : control;
      if (!shown?.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
      shown.scrollIntoView({ block: "center", behavior: "instant" });
      const { left, right, top: upper, bottom, width } = shown.getBoundingClientRect();
      if (width <= 1) continue;
      const name = control.getAttribute("aria-label") ?? control.textContent ?? control.outerHTML;
      if (left < 0 || right > innerWidth || upper < 0 || bottom > innerHeight) {
        problems.push(`${name}: ${[left, right, upper, bottom].map(Math.round).join(" ")}`);
        continue;
      }
      const hit = document.elementFromPoint((left + right) / 2, (upper + bottom) / 2);
      if (!hit || !(shown.contains(hit) || hit.contains(shown) || shown.closest("label")?.contains(hit)))
        problems.push(`${name}: is under ${hit?.outerHTML.slice(0, 80)}`);
    }
    const { scrollWidth } = document.documentElement;
    if (scrollWidth > innerWidth) problems.push(`the page is ${scrollWidth} pixels wide`);
    return problems;
  });
