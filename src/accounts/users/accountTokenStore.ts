import { Clock, Context, Effect, Layer } from "effect"
import type { StoreUnavailable } from "../../../actors/ports/store.ts"
import { accountSlotOfEmail } from "../../store/keys.ts"
import { makeTokenStore, type TokenEntity, type TokenKind } from "../../store/users/tokenStore.ts"
import type { UserEntity } from "../../store/users/userStore.ts"
import { askAgain } from "../askAgain.ts"
import { bindingOf, newAccountToken, parseAccountToken } from "./accountTokens.ts"
import { Users } from "./users.ts"

/** A token that was found good: whose it is, and what names its record. */
export interface FoundToken {
  readonly tokenHash: string
  readonly user: UserEntity
  readonly token: TokenEntity
}

/** Single-use tokens of users (decisions 4): stored as SHA-256, bound at their issue to the password, and where they are for the second factor to its secret. */
export class AccountTokens extends Context.Service<
  AccountTokens,
  {
    /**
     * A fresh token for the user of an e-mail address, good for `lifeMillis`. Where there is no such user, one that is
     * nobody's is written, so that both take as long.
     */
    readonly issue: (
      email: string,
      user: UserEntity | undefined,
      kind: TokenKind,
      lifeMillis: number,
      options?: { readonly rememberMe: boolean },
    ) => Effect.Effect<string, StoreUnavailable>
    /** A token of that kind that is still good, with its user; whoever uses it must make sure that it still is. */
    readonly find: (
      token: string | undefined,
      kind: TokenKind,
    ) => Effect.Effect<FoundToken | undefined, StoreUnavailable>
  }
>()("corrente/accounts/AccountTokens") {}

/** A recovery is of one second factor: what was mailed for it is worth nothing for the next one. */
const bindingFor = (kind: TokenKind, user: UserEntity | undefined): string => {
  const { passwordHash = "", totpSecret = "" } = user ?? {}
  return bindingOf(kind === "recover_two_factor" ? `${passwordHash} ${totpSecret}` : passwordHash)
}

export const AccountTokensLive = Layer.effect(
  AccountTokens,
  Effect.gen(function* () {
    const users = yield* Users
    const store = yield* makeTokenStore
    return AccountTokens.of({
      issue: Effect.fnUntraced(function* (email, user, kind, lifeMillis, options) {
        const slot = accountSlotOfEmail(email)
        const { token, tokenHash } = newAccountToken(slot)
        const expiresAtMillis = (yield* Clock.currentTimeMillis) + lifeMillis
        const userId = user?.id ?? ""
        const issued = { kind, userId, binding: bindingFor(kind, user), expiresAtMillis, ...options }
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
        return { tokenHash: parsed.tokenHash, user, token }
      }),
    })
  }),
)
