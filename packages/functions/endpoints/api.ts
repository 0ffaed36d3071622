import { api } from "@reading-list/core/contract/api.ts";
import { noOperation } from "@reading-list/core/use-cases/no-operation.ts";
import { answerOk } from "../http/answer.ts";
import { defineEndpoint } from "../http/chain.ts";

export const endpoint = defineEndpoint({ contract: api, useCase: noOperation, present: answerOk });
