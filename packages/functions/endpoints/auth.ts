import { auth } from "@reading-list/core/contract/auth.ts";
import { noOperation } from "@reading-list/core/use-cases/no-operation.ts";
import { answerOk } from "../http/answer.ts";
import { defineEndpoint } from "../http/chain.ts";

export const endpoint = defineEndpoint({ contract: auth, useCase: noOperation, present: answerOk });
