// SPDX-License-Identifier: MIT

import type { z } from "zod";
import { count } from "../../call-scope.ts";
import { text } from "../../contract/text.ts";
import { describeDrawings } from "../../domain/drawing.ts";
import type { Dependencies } from "../../ports/dependencies.ts";
import type { TextAnswer } from "../../ports/pages.ts";
import { inPageSlot } from "../articles/page-slot.ts";
import { type AnyCaller, defineEndpoint, type UseCase } from "../use-case.ts";

type Input = z.output<typeof text.input>;
type Ports = Pick<Dependencies, "clock" | "reader" | "keyWindows" | "textsAtOnce">;

/** Returns the text-only view of a page. Throws `invalid` if the page cannot be fetched. */
export const readPage: UseCase<Input, TextAnswer, Ports, AnyCaller> = {
  begin:
    (deps, { url, mode, images }) =>
    ({ application, address }) =>
      inPageSlot(deps, "text", { application, address }, async (turn) => {
        try {
          const text = await deps.reader.read({ url, mode, images }, turn);
          if (text.html === "") count("textsEmpty");
          else count(text.isCached ? "textHits" : "textMisses");
          return { ...text, html: describeDrawings(text.html) };
        } catch (error) {
          count("textsFailed");
          throw error;
        }
      }),
};

export const endpoint = defineEndpoint({ contract: text, useCase: readPage });
