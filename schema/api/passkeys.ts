import { Schema } from "effect"
import { HttpApiGroup, OpenApi } from "effect/http-api"
import { limits } from "../limits.ts"
import { AuthSession, User } from "../resources/account.ts"
import { AssertionResponse, AttestationResponse, Passkey, PasskeyName } from "../resources/passkey.ts"
import { Status } from "./common.ts"
import { route } from "./route.ts"
import { BrowserGuard, UserAuth } from "./security.ts"

const page = ["origin_not_allowed"] as const
const body = ["validation_failed", "length_required", "payload_too_large", "unsupported_media_type"] as const
const browser = ["session_required", "origin_not_allowed"] as const

const credentials = Schema.Array(
  Schema.Struct({
    id: Schema.String.annotateKey({
      description: "The credential's id, in base64url.",
      examples: ["q0vG2cXk3mY8Jt1w"],
    }),
    type: Schema.Literal("public-key").annotateKey({ description: "Always `public-key`." }),
    transports: Schema.Array(Schema.String).annotateKey({
      description: "How browsers reach it.",
      examples: [["internal"]],
    }),
  }),
)
const challenge = Schema.String.annotateKey({
  description: `What the authenticator signs, in base64url; good once, for ${limits.passkeyChallengeMillis / 60_000} minutes, while no newer one is asked for.`,
  examples: ["mUT1Q6lYuCBe3bqHcV3vNeEgI8JjLPQ5rFrXMJgbHKo"],
})
const timeout = Schema.Int.annotateKey({
  description: "How long the browser waits for its user, in ms.",
  examples: [60_000],
})
const text = (description: string, example: string) =>
  Schema.String.annotateKey({ description, examples: [example] })

/** `PublicKeyCredentialCreationOptionsJSON` of WebAuthn. */
const CreationOptions = Schema.Struct({
  challenge,
  rp: Schema.Struct({
    id: text("The host that the passkey is for.", "pay.example.com"),
    name: text("The service.", "Corrente"),
  }).annotateKey({ description: "Whose passkey it becomes." }),
  user: Schema.Struct({
    id: text("The user's id, in base64url.", "NWYwYzdhNTItNmY1ZS00YzExLTlhMzktOWYxYzVmZDJhMWI0"),
    name: text("What the user signs in with.", "ana@example.com"),
    displayName: text("The user's name.", "Ana Souza"),
  }).annotateKey({ description: "Whose it becomes." }),
  pubKeyCredParams: Schema.Array(
    Schema.Struct({
      type: Schema.Literal("public-key").annotateKey({ description: "Always `public-key`." }),
      alg: Schema.Int.annotateKey({ description: "A COSE algorithm.", examples: [-7] }),
    }),
  ).annotateKey({ description: "The algorithms that are accepted." }),
  timeout,
  attestation: Schema.Literal("none").annotateKey({
    description: "No proof of the authenticator's model is asked for.",
  }),
  excludeCredentials: credentials.annotateKey({ description: "The passkeys that the user has." }),
  authenticatorSelection: Schema.Record(Schema.String, Schema.Unknown).annotateKey({
    description: "Which authenticators the browser offers.",
    examples: [{ residentKey: "preferred", userVerification: "preferred" }],
  }),
  extensions: Schema.Record(Schema.String, Schema.Unknown).annotateKey({
    description: "What the browser is asked besides.",
    examples: [{ credProps: true }],
  }),
  hints: Schema.Array(Schema.String).annotateKey({
    description: "Which authenticators the browser shows first; none.",
    examples: [[]],
  }),
}).annotate({ identifier: "PasskeyCreationOptions" })

/** `PublicKeyCredentialRequestOptionsJSON` of WebAuthn. */
const RequestOptions = Schema.Struct({
  challenge,
  rpId: text("The host that the passkeys are for.", "pay.example.com"),
  allowCredentials: credentials.annotateKey({ description: "The passkeys that can be used here." }),
  timeout,
  userVerification: Schema.Literal("preferred").annotateKey({
    description: "The authenticator checks its user where it can.",
  }),
}).annotate({ identifier: "PasskeyRequestOptions" })

const id = Schema.String.annotate({ format: "uuid" }).annotateKey({ description: "The passkey's id." })
const exampleId = "7d2c9c1e-58a2-4a53-9d6f-6f3b6c1f0a11"

/** Passkeys of any user, in the shapes of better-auth's passkey plugin. */
export const passkeysGroup = HttpApiGroup.make("passkeys")
  .add(
    route.get("beginPasskeyRegistration", "/v1/me/auth/passkey/generate-register-options", {
      summary: "Options to add a passkey, after a step-up",
      stepUp: "always",
      query: {
        authenticatorAttachment: Schema.optionalKey(
          Schema.Literals(["platform", "cross-platform"]),
        ).annotateKey({
          description: "`platform`: of this device. `cross-platform`: one that goes along, such as a key.",
        }),
        name: Schema.optionalKey(Schema.String).annotateKey({
          description: "Accepted because better-auth's client sends it; the name goes with the registration.",
        }),
      },
      success: CreationOptions,
      errors: ["validation_failed", ...browser, "mfa_required", "invalid_state"],
    }),
    route.post("registerPasskey", "/v1/me/auth/passkey/verify-registration", {
      summary: "Add a passkey, after a step-up",
      stepUp: "always",
      payload: Schema.Struct({
        response: AttestationResponse.annotateKey({
          description: "What the browser answered to the options.",
        }),
        name: Schema.optionalKey(PasskeyName).annotateKey({
          description: "What to call it. Default: `Passkey`.",
        }),
      }).annotate({
        identifier: "RegisterPasskey",
        examples: [
          {
            name: "Notebook da loja",
            response: {
              id: "q0vG2cXk3mY8Jt1w",
              rawId: "q0vG2cXk3mY8Jt1w",
              type: "public-key",
              response: {
                clientDataJSON: "eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0",
                attestationObject: "o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVg",
                transports: ["internal"],
              },
            },
          },
        ],
      }),
      success: Passkey,
      errors: [...body, ...browser, "mfa_required", "invalid_state"],
    }),
    route.get("listPasskeys", "/v1/me/auth/passkey/list-user-passkeys", {
      summary: "Your passkeys, oldest first",
      success: Schema.Array(Passkey),
      errors: ["session_required"],
    }),
    route.post("deletePasskey", "/v1/me/auth/passkey/delete-passkey", {
      summary: "Remove a passkey, after a step-up",
      stepUp: "always",
      payload: Schema.Struct({ id }).annotate({
        identifier: "DeletePasskey",
        examples: [{ id: exampleId }],
      }),
      success: Status,
      errors: [...body, ...browser, "mfa_required", "resource_not_found"],
    }),
    route.post("renamePasskey", "/v1/me/auth/passkey/update-passkey", {
      summary: "Rename a passkey",
      payload: Schema.Struct({
        id,
        name: PasskeyName.annotateKey({ description: "What to call it." }),
      }).annotate({
        identifier: "RenamePasskey",
        examples: [{ id: exampleId, name: "Celular da Ana" }],
      }),
      success: Schema.Struct({
        passkey: Passkey.annotateKey({ description: "The passkey, as it is now." }),
      }),
      errors: [...body, ...browser, "resource_not_found", "invalid_state"],
    }),
  )
  .middleware(UserAuth)
  .annotate(OpenApi.Description, "A user's passkeys: second factors beside the authenticator app.")

/** The use of a passkey as a second factor. */
export const passkeyStepGroup = HttpApiGroup.make("passkeyStep")
  .add(
    route.get("beginPasskeyAuthentication", "/v1/me/auth/passkey/generate-authenticate-options", {
      summary: "Options to use a passkey, at the second step of a sign-in or in a session",
      success: RequestOptions,
      errors: [...browser, "invalid_state"],
    }),
    route.post("usePasskey", "/v1/me/auth/passkey/verify-authentication", {
      summary: "Complete the second step of a sign-in with a passkey, or step the session up",
      payload: Schema.Struct({
        response: AssertionResponse.annotateKey({
          description: "What the browser answered to the options.",
        }),
        trustDevice: Schema.optionalKey(Schema.Boolean).annotateKey({
          description: "Whether this browser may skip the second step for 30 days.",
        }),
      }).annotate({
        identifier: "UsePasskey",
        examples: [
          {
            response: {
              id: "q0vG2cXk3mY8Jt1w",
              rawId: "q0vG2cXk3mY8Jt1w",
              type: "public-key",
              response: {
                clientDataJSON: "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0",
                authenticatorData: "SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ",
                signature: "MEUCIQDr1n0wZ0",
              },
            },
          },
        ],
      }),
      success: Schema.Struct({
        session: AuthSession.annotateKey({ description: "The session, which is stepped up." }),
        user: User.annotateKey({ description: "Who is signed in." }),
      }),
      errors: [
        ...body,
        "session_required",
        "invalid_credentials",
        "invalid_mfa_code",
        "mfa_required",
        "permission_denied",
        "rate_limited",
        ...page,
      ],
    }),
  )
  .middleware(BrowserGuard)
  .annotate(OpenApi.Description, "A passkey as the second step of a sign-in, or as a step-up.")
