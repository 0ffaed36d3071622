import type { z } from "zod";
import { count } from "../call-scope.ts";
import { text } from "../contract/text.ts";
import { windowAt } from "../domain/limits.ts";
import { ServiceError } from "../errors.ts";
import { type Dependencies, secondsOf, type TextAnswer } from "../ports.ts";
import { defineEndpoint, type UseCase } from "./use-case.ts";

type Input = z.output<typeof text.input>;

/** Seconds after which a slot is free again that a process has not given back: longer than a function may run. */
const slotSeconds = 30;

/** Takes one of the slots that an application has, so that slow pages of one key do not fill all functions. */
async function takeSlot({ clock, keyWindows, textsAtOnce }: Dependencies, applicationId: string) {
  if (textsAtOnce === undefined) return { giveBack: async () => {} };
  const [id, { start }] = [`${applicationId} texts`, windowAt(secondsOf(clock), slotSeconds)];
  const { counted } = await keyWindows.countCall(id, start, textsAtOnce, 1);
  if (!counted) {
    const message = `this apikey reads ${textsAtOnce} pages at once already; try again in some seconds`;
    throw new ServiceError("keyLimited", message, { retryAfter: 5 });
  }
  return { giveBack: () => keyWindows.uncountCall(id, start, 1).catch(() => {}) };
}

/** Returns the text-only view of a page. Throws `invalid` if the page cannot be fetched. */
export const readPage: UseCase<Input, TextAnswer> = {
  begin:
    (deps, { url, mode, images }) =>
    async ({ application }) => {
      const slots = await takeSlot(deps, application.id);
      try {
        const text = await deps.reader.read({ url, mode, images });
        if (text.html === "") count("textsEmpty");
        else count(text.isCached ? "textHits" : "textMisses");
        return text;
      } catch (error) {
        count("textsFailed");
        throw error;
      } finally {
        await slots.giveBack();
      }
    },
};

export const endpoint = defineEndpoint({ contract: text, useCase: readPage });
