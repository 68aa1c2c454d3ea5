import { Schema } from "effect"
import { timestamp, timestampOrNull } from "../fields.ts"
import { formLimits } from "../formLimits.ts"
import { lineOf } from "../text.ts"

/** The longest that authenticators make (1,023 bytes, WebAuthn level 3, 5.1), in base64url. */
const credentialIdLengthMax = 1_364
/** Of what browsers send, attestations are longest: certificates of a few kB, where one comes unasked. */
const partLengthMax = 16_384

const base64url = (maximum: number) =>
  Schema.String.check(
    Schema.makeFilter(
      (text: string) =>
        (text.length > 0 && text.length <= maximum && /^[A-Za-z0-9_-]+$/.test(text)) ||
        `base64url of at most ${maximum} characters`,
    ),
  )

const credentialId = base64url(credentialIdLengthMax)
const part = base64url(partLengthMax)
const clientDataJSON = part.annotateKey({
  description: "What the browser had signed: challenge, origin, kind of request.",
})

/** The name of a passkey (`docs/contract/accounts.md#passkeys`). */
export const PasskeyName = lineOf(1, formLimits.passkeyNameLengthMax)

const common = {
  id: credentialId.annotateKey({ description: "The credential's id." }),
  rawId: credentialId.annotateKey({ description: "The same." }),
  type: Schema.Literal("public-key").annotateKey({ description: "Always `public-key`." }),
  authenticatorAttachment: Schema.optionalKey(Schema.NullOr(Schema.String)).annotateKey({
    description: "`platform` or `cross-platform`.",
  }),
}

/** What a browser answers to the options of a registration: `RegistrationResponseJSON` of WebAuthn. */
export const AttestationResponse = Schema.Struct({
  ...common,
  response: Schema.Struct({
    clientDataJSON,
    attestationObject: part.annotateKey({ description: "The new credential." }),
    transports: Schema.optionalKey(
      Schema.Array(Schema.String.check(Schema.isPattern(/^[a-z-]{1,32}$/))).check(Schema.isMaxLength(8)),
    ).annotateKey({ description: "How the browser reaches the authenticator." }),
  }).annotateKey({ description: "What the authenticator made." }),
}).annotate({
  identifier: "AttestationResponse",
  examples: [
    {
      id: "q0vG2cXk3mY8Jt1w",
      rawId: "q0vG2cXk3mY8Jt1w",
      type: "public-key",
      response: {
        clientDataJSON: "eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0",
        attestationObject: "o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVg",
        transports: ["internal"],
      },
    },
  ],
})
export type AttestationResponse = typeof AttestationResponse.Type

/** What a browser answers to the options of an authentication: `AuthenticationResponseJSON` of WebAuthn. */
export const AssertionResponse = Schema.Struct({
  ...common,
  response: Schema.Struct({
    clientDataJSON,
    authenticatorData: part.annotateKey({ description: "What the authenticator signed, besides." }),
    signature: part.annotateKey({ description: "Its signature." }),
    userHandle: Schema.optionalKey(Schema.NullOr(Schema.String)).annotateKey({
      description: "Ignored: the sign-in or the session says who it is.",
    }),
  }).annotateKey({ description: "What the authenticator signed." }),
}).annotate({
  identifier: "AssertionResponse",
  examples: [
    {
      id: "q0vG2cXk3mY8Jt1w",
      rawId: "q0vG2cXk3mY8Jt1w",
      type: "public-key",
      response: {
        clientDataJSON: "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0",
        authenticatorData: "SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ",
        signature: "MEUCIQDr1n0wZ0",
      },
    },
  ],
})
export type AssertionResponse = typeof AssertionResponse.Type

/** A passkey of a user (`docs/contract/accounts.md#passkeys`), with better-auth's field names. */
export const Passkey = Schema.Struct({
  id: Schema.String.annotate({ format: "uuid" }).annotateKey({ description: "The passkey's id." }),
  name: Schema.String.annotateKey({ description: "What its user calls it." }),
  userId: Schema.String.annotate({ format: "uuid" }).annotateKey({ description: "Its user." }),
  credentialID: Schema.String.annotateKey({ description: "Its id in browsers, in base64url." }),
  publicKey: Schema.String.annotateKey({ description: "Its public key (COSE), in base64url." }),
  counter: Schema.Int.annotateKey({
    description: "How often it has signed; 0 where its authenticator does not count.",
  }),
  deviceType: Schema.Literals(["singleDevice", "multiDevice"]).annotateKey({
    description: "`multiDevice`: it can be on several devices, as in a password manager.",
  }),
  backedUp: Schema.Boolean.annotateKey({ description: "Whether it is kept outside its device, too." }),
  transports: Schema.String.annotateKey({
    description: "How browsers reach it, separated by commas.",
  }),
  aaguid: Schema.String.annotateKey({
    description: "The model of its authenticator; zeros where it does not tell.",
  }),
  createdAt: timestamp.annotateKey({ description: "When it was added." }),
  lastUsedAt: timestampOrNull.annotateKey({ description: "When it was last used; null if it never was." }),
}).annotate({
  identifier: "Passkey",
  examples: [
    {
      id: "7d2c9c1e-58a2-4a53-9d6f-6f3b6c1f0a11",
      name: "Notebook da loja",
      userId: "5f0c7a52-6f5e-4c11-9a39-9f1c5fd2a1b4",
      credentialID: "q0vG2cXk3mY8Jt1w",
      publicKey: "pQECAyYgASFYIA",
      counter: 0,
      deviceType: "multiDevice",
      backedUp: true,
      transports: "internal,hybrid",
      aaguid: "ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4",
      createdAt: "2026-11-21T12:00:00.000Z",
      lastUsedAt: null,
    },
  ],
})
export type Passkey = typeof Passkey.Type
