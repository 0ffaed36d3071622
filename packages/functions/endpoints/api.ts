import { api } from "@reading-list/core/contract/api.ts";
import { nothingMore } from "@reading-list/core/use-cases/nothing-more.ts";
import { answerOk } from "../http/answer.ts";
import { defineEndpoint } from "../http/chain.ts";

export const endpoint = defineEndpoint({ contract: api, useCase: nothingMore, present: answerOk });
