import { add } from "@reading-list/core/contract/add.ts";
import { addPage } from "@reading-list/core/use-cases/add-page.ts";
import { answerOk } from "../http/answer.ts";
import { defineEndpoint } from "../http/chain.ts";

export const endpoint = defineEndpoint({ contract: add, useCase: addPage, present: answerOk });
