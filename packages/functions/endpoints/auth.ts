import { auth } from "@reading-list/core/contract/auth.ts";
import { nothingMore } from "@reading-list/core/use-cases/nothing-more.ts";
import { answerInWords } from "../http/answer.ts";
import { defineEndpoint } from "../http/chain.ts";

export default defineEndpoint({ contract: auth, useCase: nothingMore, present: () => answerInWords(200) });
