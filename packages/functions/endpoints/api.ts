import { api } from "@reading-list/core/contract/api.ts";
import { nothingMore } from "@reading-list/core/use-cases/nothing-more.ts";
import { answerInWords } from "../http/answer.ts";
import { defineEndpoint } from "../http/chain.ts";

export default defineEndpoint({ contract: api, useCase: nothingMore, present: () => answerInWords(200) });
