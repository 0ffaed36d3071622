// SPDX-License-Identifier: MIT

import * as z from "@reading-list/core/contract/bounded.ts";
import { type Authorization, deviceSeconds, showUserCode } from "@reading-list/core/domain/authorization.ts";
import {
  type AuthorizationPorts,
  answerDevice,
  findDevice,
  requestDeviceCode,
} from "@reading-list/core/use-cases/accounts/authorize-apps.ts";
import { type AnyCaller, noOperation, type UseCase } from "@reading-list/core/use-cases/use-case.ts";
import { defineRoute } from "@reading-list/http/api.ts";
import { answerJson } from "../answers.ts";
import { answerRefusal, byApps, oauthText, resourceFields } from "./answers.ts";
import { askConsent, consentFields, readTyped } from "./consent.ts";
import { askUserCode, showError, showMessage } from "./pages.ts";
import { readScopes } from "./scopes.ts";
import { findPageTexts } from "./texts.ts";

const requestInput = z.object({ client_id: oauthText, scope: oauthText, ...resourceFields });

const request: UseCase<
  z.output<typeof requestInput>,
  Awaited<ReturnType<typeof requestDeviceCode>>,
  AuthorizationPorts,
  AnyCaller
> = {
  begin: (deps, given) => (caller) => requestDeviceCode(deps, caller, { ...given, access: readScopes(given.scope) }),
};

const requestRoute = defineRoute({
  ...byApps,
  route: "POST /api/oauth/device",
  input: requestInput,
  useCase: request,
  present: (requested, _, { address }) => {
    if ("refusal" in requested) return answerRefusal(requested.refusal);
    const { deviceCode, authorization } = requested;
    const userCode = showUserCode(authorization.id);
    return answerJson({
      device_code: deviceCode,
      user_code: userCode,
      verification_uri: `${address}/device`,
      verification_uri_complete: `${address}/device?user_code=${userCode}`,
      expires_in: deviceSeconds,
      interval: authorization.polling?.interval,
    });
  },
});

const codeInput = z.object({ user_code: oauthText });

/** Looks no code up: a page of another site can send a GET unseen, and wrong codes lock the user's address out. */
const show = defineRoute({
  route: "GET /device",
  caller: "application",
  input: codeInput,
  useCase: noOperation,
  signIn: () => ({}),
  answerError: showError,
  present: (_, { user_code: code }, { acceptLanguage }) => askUserCode(findPageTexts(acceptLanguage), { code }),
});

const answerInput = codeInput.extend(consentFields).partial({ decision: true });

const answer: UseCase<z.output<typeof answerInput>, Authorization | undefined, AuthorizationPorts, AnyCaller> = {
  begin:
    (deps, { user_code: typed = "", decision }) =>
    (caller) =>
      decision === undefined ? findDevice(deps, caller, typed) : answerDevice(deps, caller, typed),
};

/** The answer to the page with the code is the page with the question, whose form has an answer. */
const decide = defineRoute({
  route: "POST /device",
  caller: "either",
  account: "signIns",
  isOfOwnSite: true,
  input: answerInput,
  useCase: answer,
  signIn: ({ decision, ...typed }) => (decision === "allow" ? readTyped(typed) : {}),
  answerError: showError,
  present: (found, _, { acceptLanguage }) => {
    const texts = findPageTexts(acceptLanguage);
    const { consent, device } = texts;
    if (!found) return askUserCode(texts, { message: device.unknownCode });
    if (found.state === "granted") return showMessage(texts, device.granted, device.grantedHint);
    if (found.state === "denied") return showMessage(texts, device.denied, device.deniedHint);
    const code = showUserCode(found.id);
    return askConsent(texts, {
      name: found.clientName,
      access: found.access,
      details: [[consent.showsCode, code, "code"]],
      note: consent.deviceHint,
      query: `user_code=${code}`,
    });
  },
});

/** The device flow (RFC 8628): codes, and the page on which a user agrees. */
export const deviceRoutes = [requestRoute, show, decide];
