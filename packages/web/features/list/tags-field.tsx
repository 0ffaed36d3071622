// SPDX-License-Identifier: MIT

import type { ComponentProps } from "preact";
import { laterTexts } from "../../kit/later-texts.ts";
import * as kit from "../../kit/tags-field.tsx";
import { say } from "../../kit/texts.ts";

const removeTag = (tag: string) => say(laterTexts.add.removeTag, { tag });
const texts = { ...laterTexts.add, removeTag };

export const TagChip = (props: Omit<ComponentProps<typeof kit.TagChip>, "remove">) => (
  <kit.TagChip {...props} remove={removeTag(props.tag)} />
);

export const TagsField = (props: Omit<ComponentProps<typeof kit.TagsField>, "texts">) => (
  <kit.TagsField {...props} texts={texts} />
);
