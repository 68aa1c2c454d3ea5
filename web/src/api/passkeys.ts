import {
  type AuthenticationResponseJSON,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  type RegistrationResponseJSON,
  startAuthentication,
  startRegistration,
  WebAuthnError,
} from "@simplewebauthn/browser"
import { CorrenteError } from "../../../client/src/errors.ts"
import type { AssertionResponse, AttestationResponse, Passkey } from "../../../schema/resources/passkey.ts"
import { explain } from "../text/failures.ts"
import { textsOf } from "../text/i18n.ts"
import { call } from "./http.ts"
import type { Answer } from "./routes.ts"
import { secondFactorMethods } from "./session.ts"

// Loaded when somebody uses a passkey, with the library that asks the browser for it.

const texts = textsOf({
  "pt-BR": {
    cancelled: "O navegador não confirmou a passkey. Tente de novo.",
    known: "Este dispositivo já tem uma passkey da sua conta.",
    domain: "Passkeys só funcionam em um endereço com nome e https, não em um endereço IP.",
    refused: "A passkey não foi aceita. Tente de novo, ou use um código.",
    full: "Você já tem o máximo de passkeys, ou esta já está na sua conta.",
  },
  en: {
    cancelled: "The browser did not confirm the passkey. Try again.",
    known: "This device has a passkey of your account already.",
    domain: "Passkeys only work at an address with a name and https, not at an IP address.",
    refused: "The passkey was not accepted. Try again, or use a code.",
    full: "You have the most passkeys that you may have, or this one already.",
  },
})

/** Asks the browser, and says in words of the page why it gave no passkey. */
const asked = async <A>(request: Promise<A>): Promise<A> => {
  try {
    return await request
  } catch (cause) {
    const code = cause instanceof WebAuthnError ? cause.code : undefined
    const { value } = texts
    const words =
      code === "ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED"
        ? value.known
        : code === "ERROR_INVALID_DOMAIN" || code === "ERROR_INVALID_RP_ID"
          ? value.domain
          : value.cancelled
    throw explain(new CorrenteError({ code: "aborted", message: String(cause), cause }), words)
  }
}

/** Sends what the browser answered, and says in words of the page why it was refused. */
const sent = async <A>(request: Promise<A>): Promise<A> => {
  try {
    return await request
  } catch (cause) {
    if (!(cause instanceof CorrenteError)) throw cause
    if (cause.code === "invalid_state") throw explain(cause, texts.value.full)
    const isRefused =
      (cause.code === "invalid_mfa_code" && cause.details?.reason === undefined) || cause.param === "response"
    throw isRefused ? explain(cause, texts.value.refused) : cause
  }
}

/** What the service takes of a browser's answer. */
const assertionOf = ({ id, rawId, type, response }: AuthenticationResponseJSON): AssertionResponse => {
  const { clientDataJSON, authenticatorData, signature } = response
  return { id, rawId, type, response: { clientDataJSON, authenticatorData, signature } }
}

const attestationOf = ({ id, rawId, type, response }: RegistrationResponseJSON): AttestationResponse => {
  const { clientDataJSON, attestationObject, transports } = response
  return {
    ...{ id, rawId, type },
    response: { clientDataJSON, attestationObject, ...(transports === undefined ? {} : { transports }) },
  }
}

/** Completes the pending sign-in with a passkey, or else steps the session up. */
export const usePasskey = async (
  trustDevice: boolean,
): Promise<Answer<"POST /v1/me/auth/passkey/verify-authentication">> => {
  const options = await sent(call("GET /v1/me/auth/passkey/generate-authenticate-options"))
  const optionsJSON = options as unknown as PublicKeyCredentialRequestOptionsJSON
  const response = assertionOf(await asked(startAuthentication({ optionsJSON })))
  const answer = await sent(
    call("POST /v1/me/auth/passkey/verify-authentication", {
      body: { response, trustDevice },
      asksStepUp: false,
    }),
  )
  secondFactorMethods.value = answer.session.twoFactorMethods
  return answer
}

/** Has the browser make a passkey, and adds it. Asks for a step-up first. */
export const addPasskey = async (name: string): Promise<Passkey> => {
  const options = await sent(call("GET /v1/me/auth/passkey/generate-register-options"))
  const optionsJSON = options as unknown as PublicKeyCredentialCreationOptionsJSON
  const response = attestationOf(await asked(startRegistration({ optionsJSON })))
  return await sent(call("POST /v1/me/auth/passkey/verify-registration", { body: { response, name } }))
}
