import type { z } from "zod";
import type { text } from "../contract/text.ts";
import type { TextAnswer } from "../ports.ts";
import { count } from "../tally.ts";
import type { UseCase } from "./use-case.ts";

type Input = z.output<typeof text.input>;

/** Returns the text-only view of a page (spec section 4.7). Throws `invalid` where it cannot be fetched. */
export const readPage: UseCase<Input, TextAnswer> = {
  run: async (deps, { input: { url, mode, images } }) => {
    try {
      const text = await deps.reader.read({ url, mode, images });
      if (text.html === "") count("textsEmpty");
      else count(text.isKept ? "textHits" : "textMisses");
      return text;
    } catch (error) {
      count("textsFailed");
      throw error;
    }
  },
};
