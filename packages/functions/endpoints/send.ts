import { send } from "@reading-list/core/contract/send.ts";
import { sendChanges } from "@reading-list/core/use-cases/send-changes.ts";
import { answerOk } from "../http/answer.ts";
import { defineEndpoint } from "../http/chain.ts";

export const endpoint = defineEndpoint({ contract: send, useCase: sendChanges, present: answerOk });
