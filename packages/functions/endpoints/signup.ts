import { signup } from "@reading-list/core/contract/signup.ts";
import { registerUser } from "@reading-list/core/use-cases/register-user.ts";
import { answerOk } from "../http/answer.ts";
import { defineEndpoint } from "../http/chain.ts";

export const endpoint = defineEndpoint({ contract: signup, useCase: registerUser, present: answerOk });
