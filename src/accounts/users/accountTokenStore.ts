import { Clock, Context, Effect, Layer } from "effect"
import { SecretOpener } from "../../../actors/ports/secretOpener.ts"
import { sealedPlaces } from "../../../actors/values/sealedPlaces.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { accountSlotOfEmail } from "../../store/keys.ts"
import { makeTokenStore, type TokenEntity, type TokenKind } from "../../store/users/tokenStore.ts"
import type { UserEntity } from "../../store/users/userStore.ts"
import { askAgain } from "../askAgain.ts"
import { bindingOf, newAccountToken, parseAccountToken } from "./accountTokens.ts"
import { Users } from "./users.ts"

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
          ...{ kind, userId, binding: bindingFor(kind, user), expiresAtMillis, ...options },
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
