import { randomUUID } from "node:crypto"
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from "@simplewebauthn/server"
import { Clock, Context, Effect, Layer } from "effect"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { limits } from "../../../schema/limits.ts"
import type { AttestationResponse, Passkey } from "../../../schema/resources/passkey.ts"
import { type Ceremony, makePasskeyStore, type StoredPasskey } from "../../store/passkeys.ts"
import { askAgain } from "../askAgain.ts"
import type { Outcome } from "../outcome.ts"
import { SecurityNotices } from "../securityNotices.ts"
import type { Session } from "../sessions/session.ts"
import { Users } from "../users/users.ts"
import type { FactorHolder } from "./secondFactor.ts"
import {
  knownPasskey,
  noPasskey,
  noSession,
  noSuchPasskey,
  passkeyChanged,
  refusedRegistration,
  stepUpRequired,
  tooManyPasskeys,
  twoFactorOff,
} from "./twoFactorErrors.ts"
import {
  authenticationOptions,
  type RelyingParty,
  readRegistration,
  registrationOptions,
} from "./webAuthn.ts"

/** A passkey as its user is shown it. */
export const passkeyResource = (userId: string, passkey: StoredPasskey): Passkey => ({
  id: passkey.id,
  name: passkey.name,
  userId,
  credentialID: passkey.credentialId,
  publicKey: passkey.publicKey,
  counter: passkey.counter,
  deviceType: passkey.deviceType,
  backedUp: passkey.backedUp,
  transports: passkey.transports.join(","),
  aaguid: passkey.aaguid,
  createdAt: new Date(passkey.createdAtMillis).toISOString(),
  lastUsedAt:
    passkey.lastUsedAtMillis === undefined ? null : new Date(passkey.lastUsedAtMillis).toISOString(),
})

/** A registration as a browser answers it. */
export interface PasskeyRegistration {
  readonly response: AttestationResponse
  readonly name: string
}

/** A user's passkeys: second factors beside the authenticator app (docs/contract/accounts.md#passkeys). */
export class Passkeys extends Context.Service<
  Passkeys,
  {
    /** A user's passkeys, oldest first. */
    readonly list: (userId: string) => Effect.Effect<ReadonlyArray<StoredPasskey>, StoreUnavailable>
    /** Those that can be given in a session, or at the second step of a sign-in: not the ones that the session added itself. */
    readonly usable: (
      userId: string,
      sessionId?: string,
    ) => Effect.Effect<ReadonlyArray<StoredPasskey>, StoreUnavailable>
    /** Options to register a passkey in a session. 403 `mfa_required` if 2FA is off, 409 `invalid_state` with twenty. */
    readonly beginRegistration: (
      session: Session,
      party: RelyingParty,
      attachment: "platform" | "cross-platform" | undefined,
    ) => Outcome<
      PublicKeyCredentialCreationOptionsJSON,
      "invalid_state" | "mfa_required" | "session_required"
    >
    /**
     * Adds the passkey that was made for the newest options of the session, and mails its user. Fails with 400
     * `validation_failed` at `response` where it is another, was made elsewhere or too late, 403 `mfa_required` where the session is not stepped up or 2FA is
     * off, 409 `invalid_state` if the user has it already or has twenty.
     */
    readonly register: (
      session: Session,
      party: RelyingParty,
      registration: PasskeyRegistration,
    ) => Outcome<StoredPasskey, "invalid_state" | "mfa_required" | "session_required" | "validation_failed">
    /** Options to sign with a passkey. 409 `invalid_state` if there is none to sign with, 401 `session_required` if the holder has ended. */
    readonly beginAuthentication: (
      holder: FactorHolder & { readonly userId: string; readonly sessionId?: string },
      party: RelyingParty,
    ) => Outcome<PublicKeyCredentialRequestOptionsJSON, "invalid_state" | "session_required">
    /** Names a passkey anew. 404 `resource_not_found` if the user has none of this id, 409 `invalid_state` if it was used in this moment. */
    readonly rename: (
      userId: string,
      id: string,
      name: string,
    ) => Outcome<StoredPasskey, "invalid_state" | "resource_not_found">
    /** Removes a passkey, and mails its user. 404 `resource_not_found` if there is none, 403 `mfa_required` without a step-up. */
    readonly remove: (
      session: Session,
      id: string,
    ) => Outcome<void, "mfa_required" | "resource_not_found" | "session_required">
  }
>()("corrente/accounts/Passkeys") {}

const make = Effect.gen(function* () {
  const store = yield* makePasskeyStore
  const users = yield* Users
  const notices = yield* SecurityNotices

  const challenge = Effect.fnUntraced(function* (
    { place, tokenHash, userId }: FactorHolder & { readonly userId: string },
    ceremony: Ceremony,
    text: string,
  ) {
    const expiresAtMillis = (yield* Clock.currentTimeMillis) + limits.passkeyChallengeMillis
    const asked = { place, tokenHash, userId, ceremony, challenge: text, expiresAtMillis }
    const { kind } = yield* askAgain(store.challenge(asked))
    if (kind === "noHolder") return yield* noSession()
  })

  const usable = (userId: string, sessionId?: string) =>
    Effect.map(store.list(userId), (passkeys) => passkeys.filter(({ addedIn }) => addedIn !== sessionId))

  const find = Effect.fnUntraced(function* (userId: string, id: string) {
    const found = (yield* store.list(userId)).find((passkey) => passkey.id === id)
    return found ?? (yield* noSuchPasskey())
  })

  const beginRegistration: Passkeys["Service"]["beginRegistration"] = Effect.fnUntraced(
    function* (session, party, attachment) {
      const user = yield* users.find(session.userId)
      if (user === undefined) return yield* noSession()
      if (!user.twoFactorEnabled) return yield* twoFactorOff()
      const known = yield* store.list(user.id)
      if (known.length >= limits.passkeysMax) return yield* tooManyPasskeys()
      const options = yield* registrationOptions(party, user, known, attachment)
      const { userId, tokenHash } = session
      yield* challenge({ place: "session", tokenHash, userId }, "registration", options.challenge)
      return options
    },
  )

  const register: Passkeys["Service"]["register"] = Effect.fnUntraced(function* (
    session,
    party,
    { response, name },
  ) {
    const made = yield* readRegistration(party, response)
    if (made === undefined) return yield* refusedRegistration()
    const { challenge: signed, ...credential } = made
    const nowMillis = yield* Clock.currentTimeMillis
    const passkey: StoredPasskey = {
      id: randomUUID(),
      ...credential,
      name,
      addedIn: session.id,
      createdAtMillis: nowMillis,
    }
    const { userId, tokenHash } = session
    const { kind } = yield* askAgain(store.add({ userId, tokenHash, nowMillis, passkey, challenge: signed }))
    switch (kind) {
      case "added":
        yield* notices.tell(userId, { kind: "passkey_added" })
        return passkey
      case "noSession":
        return yield* noSession()
      case "off":
        return yield* twoFactorOff()
      case "notSteppedUp":
        return yield* stepUpRequired()
      case "notChallenged":
        return yield* refusedRegistration()
      case "known":
        return yield* knownPasskey()
      case "tooMany":
        return yield* tooManyPasskeys()
    }
  })

  return Passkeys.of({
    list: store.list,
    usable,
    beginRegistration,
    register,
    beginAuthentication: Effect.fnUntraced(function* (holder, party) {
      const passkeys = yield* usable(holder.userId, holder.sessionId)
      if (passkeys.length === 0) return yield* noPasskey()
      const options = yield* authenticationOptions(party, passkeys)
      yield* challenge(holder, "authentication", options.challenge)
      return options
    }),
    rename: Effect.fnUntraced(function* (userId, id, name) {
      const before = yield* find(userId, id)
      const renamed = { ...before, name }
      const { kind } = yield* askAgain(store.replace(userId, before, renamed))
      if (kind === "changed") return yield* passkeyChanged()
      return renamed
    }),
    remove: Effect.fnUntraced(function* (session, id) {
      const { userId, tokenHash } = session
      const { credentialId } = yield* find(userId, id)
      const nowMillis = yield* Clock.currentTimeMillis
      const { kind } = yield* askAgain(store.remove({ userId, tokenHash, nowMillis, credentialId }))
      if (kind === "noSession") return yield* noSession()
      if (kind === "notSteppedUp") return yield* stepUpRequired()
      yield* notices.tell(userId, { kind: "passkey_removed" })
    }),
  })
})

export const PasskeysLive = Layer.effect(Passkeys, make)
