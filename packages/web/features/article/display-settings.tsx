// SPDX-License-Identifier: MIT

import { DisplayFields } from "../../kit/display-fields.tsx";
import { laterTexts } from "../../kit/later-texts.ts";
import type { Observable } from "../../kit/observable.ts";
import { Segments } from "../../kit/segments.tsx";
import type { Settings } from "../../kit/settings.ts";

/** How articles look, in a popover that a button opens with `popovertarget`. */
export const DisplaySettings = ({ id, settings }: { id: string; settings: Observable<Settings> }) => (
  <div id={id} popover="auto" role="dialog" aria-label={laterTexts.display.title} class="display popover">
    <DisplayFields settings={settings} />
    <Segments name="theme" title={laterTexts.menu.theme} values={laterTexts.menu.themes} settings={settings} />
  </div>
);
