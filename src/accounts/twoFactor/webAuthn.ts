import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/server"
import { Effect } from "effect"
import type { AssertionResponse, AttestationResponse } from "../../../schema/resources/passkey.ts"
import type { StoredPasskey } from "../../store/passkeys.ts"

/** Whose passkeys a browser is asked for: the RP ID, and the origins whose pages may ask. */
export interface RelyingParty {
  readonly id: string
  readonly origins: ReadonlyArray<string>
}

/** EdDSA, ES256 and RS256, the algorithms that authenticators have. */
const algorithms = [-8, -7, -257]

/** More than any key of these algorithms has. */
const publicKeyBytesMax = 2_048

const name = "Corrente"

/**
 * The library, loaded when somebody first uses a passkey: it takes 0.2 s. We ask for no attestation and trust nobody's, so it gets
 * no roots: it would follow certificates that a caller made up, and fetch their revocation lists.
 */
const library = Effect.promise(async () => {
  const loaded = await import("@simplewebauthn/server")
  for (const identifier of ["android-key", "android-safetynet", "apple"] as const)
    loaded.SettingsService.setRootCertificates({ identifier, certificates: [] })
  return loaded
})

/** What an authenticator answered, read by the library; undefined where it refuses it. */
const orUndefined = <A>(read: () => Promise<A>): Effect.Effect<A | undefined> =>
  Effect.catch(Effect.tryPromise({ try: read, catch: () => "refused" as const }), () =>
    Effect.succeed(undefined),
  )

const allowed = ({ credentialId, transports }: StoredPasskey) => ({
  id: credentialId,
  transports: [...transports],
})

/** Who registers a passkey. */
export interface Registrant {
  readonly id: string
  readonly email: string
  readonly name: string
}

/** Options for a browser to register a passkey, with a new challenge. `known`: the user's passkeys, so that none comes twice. */
export const registrationOptions = (
  party: RelyingParty,
  user: Registrant,
  known: ReadonlyArray<StoredPasskey>,
  attachment: "platform" | "cross-platform" | undefined,
): Effect.Effect<PublicKeyCredentialCreationOptionsJSON> =>
  Effect.flatMap(library, ({ generateRegistrationOptions }) =>
    Effect.promise(() =>
      generateRegistrationOptions({
        rpName: name,
        rpID: party.id,
        userID: new TextEncoder().encode(user.id),
        userName: user.email,
        userDisplayName: user.name,
        attestationType: "none",
        excludeCredentials: known.map(allowed),
        supportedAlgorithmIDs: algorithms,
        authenticatorSelection: {
          residentKey: "preferred",
          userVerification: "preferred",
          ...(attachment === undefined ? {} : { authenticatorAttachment: attachment }),
        },
      }),
    ),
  )

/** Options for a browser to sign with one of these passkeys, with a new challenge. */
export const authenticationOptions = (
  party: RelyingParty,
  passkeys: ReadonlyArray<StoredPasskey>,
): Effect.Effect<PublicKeyCredentialRequestOptionsJSON> =>
  Effect.flatMap(library, ({ generateAuthenticationOptions }) =>
    Effect.promise(() =>
      generateAuthenticationOptions({
        rpID: party.id,
        allowCredentials: passkeys.map(allowed),
        userVerification: "preferred",
      }),
    ),
  )

/** A new credential as an authenticator made it, and the challenge that it signed. */
export type NewCredential = Pick<
  StoredPasskey,
  "credentialId" | "publicKey" | "counter" | "transports" | "deviceType" | "backedUp" | "aaguid"
> & { readonly challenge: string }

/**
 * The credential that an authenticator made on a page of ours; undefined for anything else. Whether its challenge is ours is decided
 * where the credential is stored.
 */
export const readRegistration = (
  party: RelyingParty,
  response: AttestationResponse,
): Effect.Effect<NewCredential | undefined> =>
  Effect.flatMap(library, ({ verifyRegistrationResponse }) =>
    Effect.gen(function* () {
      let challenge = ""
      const read = yield* orUndefined(() =>
        verifyRegistrationResponse({
          response: response as RegistrationResponseJSON,
          expectedChallenge: (signed) => {
            challenge = signed
            return true
          },
          expectedOrigin: [...party.origins],
          expectedRPID: party.id,
          requireUserVerification: false,
          supportedAlgorithmIDs: algorithms,
        }),
      )
      const made = read?.registrationInfo
      if (made === undefined || made.credential.publicKey.length > publicKeyBytesMax) return undefined
      return {
        credentialId: made.credential.id,
        publicKey: Buffer.from(made.credential.publicKey).toString("base64url"),
        counter: made.credential.counter,
        transports: response.response.transports ?? [],
        deviceType: made.credentialDeviceType,
        backedUp: made.credentialBackedUp,
        aaguid: made.aaguid,
        challenge,
      }
    }),
  )

/** What a passkey's signature says, and the challenge that was signed. */
export interface Assertion {
  readonly challenge: string
  readonly counter: number
  readonly backedUp: boolean
}

/**
 * The signature of a passkey on a page of ours; undefined for anything else, and where the passkey's counter did not go on. Whether
 * its challenge is ours is decided where the signature is used.
 */
export const readAssertion = (
  party: RelyingParty,
  response: AssertionResponse,
  { credentialId, publicKey, counter }: StoredPasskey,
): Effect.Effect<Assertion | undefined> =>
  Effect.flatMap(library, ({ verifyAuthenticationResponse }) =>
    Effect.gen(function* () {
      let challenge = ""
      const read = yield* orUndefined(() =>
        verifyAuthenticationResponse({
          response: response as AuthenticationResponseJSON,
          expectedChallenge: (signed) => {
            challenge = signed
            return true
          },
          expectedOrigin: [...party.origins],
          expectedRPID: party.id,
          credential: {
            id: credentialId,
            publicKey: new Uint8Array(Buffer.from(publicKey, "base64url")),
            counter,
          },
          requireUserVerification: false,
        }),
      )
      if (read?.verified !== true) return undefined
      const { newCounter, credentialBackedUp } = read.authenticationInfo
      return { challenge, counter: newCounter, backedUp: credentialBackedUp }
    }),
  )
