import { hash, randomBytes } from "node:crypto"
import { Clock, Context, Effect, Layer } from "effect"
import { SecretOpener } from "../../../actors/ports/secretOpener.ts"
import { sealedPlaces } from "../../../actors/values/sealedPlaces.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { decodePartition, encodePartition } from "../../../schema/ids.ts"
import { accountSlotOfEmail, accountSlotOfUser } from "../../store/keys.ts"
import type { UserEntity } from "../../store/users.ts"
import { makeTokenStore, type TokenEntity, type TokenKind } from "../../store/userTokens.ts"
import { askAgain } from "../askAgain.ts"
import type { Session } from "../sessions/session.ts"
import { Users } from "./users.ts"

/**
 * Tokens of sessions, mailed links and pending sign-ins: two characters that name the account slot, then 43 of
 * base64url (258 bits). Only their SHA-256 is stored (docs/contract/accounts.md#tokens).
 */
const tokenPattern = /^[0-9A-HJKMNP-TV-Z]{2}[A-Za-z0-9_-]{43}$/

/** The stored form of a token: its SHA-256 in base64url. */
export const hashToken = (token: string): string => hash("sha256", token, "base64url")

/** A token, for a cookie or a mail only, and its stored form. */
interface NewToken {
  readonly token: string
  readonly tokenHash: string
}

/** A new token in an account slot. */
export const newAccountToken = (slot: number): NewToken => {
  const token = encodePartition(slot) + randomBytes(33).toString("base64url").slice(0, 43)
  return { token, tokenHash: hashToken(token) }
}

/**
 * A new token for a session that is stepped up. None for one that was found under its former token: its browser is about to
 * have the present one.
 */
export const newTokenOf = ({ userId, isUnderFormerToken }: Session): NewToken | undefined =>
  isUnderFormerToken === true ? undefined : newAccountToken(accountSlotOfUser(userId))

/** Where the record of a token would be; undefined for text that cannot be a token. */
export const parseAccountToken = (
  token: string | undefined,
): { readonly slot: number; readonly tokenHash: string } | undefined => {
  if (token === undefined || !tokenPattern.test(token)) return undefined
  return { slot: decodePartition(token.slice(0, 2)), tokenHash: hashToken(token) }
}

/** What binds a token to the password at its issue: once that changes, the token is worthless. */
export const bindingOf = (passwordHash: string): string => hash("sha256", passwordHash, "base64url")

/** A valid token: its user, and the hash that names its record. */
export interface FoundToken {
  readonly tokenHash: string
  readonly user: UserEntity
  readonly token: TokenEntity
}

/**
 * Single-use tokens of users (docs/contract/accounts.md#tokens): stored as SHA-256, and bound at issue to the
 * password; those that touch the second factor also to its secret. All end when operators sign their user out.
 */
export class AccountTokens extends Context.Service<
  AccountTokens,
  {
    /**
     * A new token for the user of an e-mail address, valid for `lifeMillis`. If there is no such user, a token of
     * nobody is written, so that both take as long.
     */
    readonly issue: (
      email: string,
      user: UserEntity | undefined,
      kind: TokenKind,
      lifeMillis: number,
      options?: { readonly rememberMe: boolean },
    ) => Effect.Effect<string, StoreUnavailable>
    /** A valid token of that kind, with its user. Whoever uses it must check validity again in the same commit. */
    readonly find: (
      token: string | undefined,
      kind: TokenKind,
    ) => Effect.Effect<FoundToken | undefined, StoreUnavailable>
  }
>()("corrente/accounts/AccountTokens") {}

/**
 * Makes the binding of a token. A recovery token is for one second factor: it is worthless once the user has another. Not by the
 * secret's ciphertext, which is another one after it was encrypted again.
 */
const makeBindingFor =
  ({ open }: SecretOpener["Service"]) =>
  (kind: TokenKind, user: UserEntity | undefined): string => {
    const { id = "", passwordHash = "", totpSecret } = user ?? {}
    if (kind !== "recover_two_factor") return bindingOf(passwordHash)
    const secret = totpSecret === undefined ? "" : open(totpSecret, sealedPlaces.totpSecret(id))
    return bindingOf(`${passwordHash} ${secret ?? ""}`)
  }

export const AccountTokensLive = Layer.effect(
  AccountTokens,
  Effect.gen(function* () {
    const users = yield* Users
    const store = yield* makeTokenStore
    const bindingFor = makeBindingFor(yield* SecretOpener)
    return AccountTokens.of({
      issue: Effect.fnUntraced(function* (email, user, kind, lifeMillis, options) {
        const slot = accountSlotOfEmail(email)
        const { token, tokenHash } = newAccountToken(slot)
        const expiresAtMillis = (yield* Clock.currentTimeMillis) + lifeMillis
        const userId = user?.id ?? ""
        const { signOuts } = user ?? {}
        const issued = {
          kind,
          userId,
          binding: bindingFor(kind, user),
          expiresAtMillis,
          ...options,
          ...(signOuts === undefined ? {} : { signOuts }),
        }
        yield* askAgain(store.issue(slot, tokenHash, issued))
        return token
      }),
      find: Effect.fnUntraced(function* (text, kind) {
        const parsed = parseAccountToken(text)
        if (parsed === undefined) return undefined
        const token = yield* store.find(parsed.slot, parsed.tokenHash)
        if (token?.kind !== kind || token.expiresAtMillis <= (yield* Clock.currentTimeMillis))
          return undefined
        const user = yield* users.find(token.userId)
        if (user === undefined || token.binding !== bindingFor(kind, user)) return undefined
        if (user.disabledAtMillis !== undefined || token.signOuts !== user.signOuts) return undefined
        return { tokenHash: parsed.tokenHash, user, token }
      }),
    })
  }),
)
