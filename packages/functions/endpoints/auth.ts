import { auth } from "@reading-list/core/contract/auth.ts";
import { nothingMore } from "@reading-list/core/use-cases/nothing-more.ts";
import { answerOk } from "../http/answer.ts";
import { defineEndpoint } from "../http/chain.ts";

export const endpoint = defineEndpoint({ contract: auth, useCase: nothingMore, present: answerOk });
