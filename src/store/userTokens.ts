import { Effect } from "effect"
import { tokenKey } from "./keys.ts"
import { type EntityKind, field, makeEntities } from "./redis/entities.ts"
import { callFunction } from "./redis/functionLibrary.ts"
import { luaFunction } from "./redis/luaFunction.ts"
import { RedisClient } from "./redis/redisClient.ts"

/** The purpose of a single-use token. */
export type TokenKind = "verify_email" | "reset_password" | "recover_two_factor" | "second_factor"

/** A single-use token as stored, under its hash. */
export interface TokenEntity {
  readonly kind: TokenKind
  readonly userId: string
  /** SHA-256 of the user's password hash at issue, for a recovery with the TOTP secret; once they change, the token is void. */
  readonly binding: string
  readonly rememberMe?: boolean
  /** The user's `signOuts` at issue. */
  readonly signOuts?: number
  readonly expiresAtMillis: number
}

const tokenKind: EntityKind<TokenEntity> = {
  name: "token",
  fields: {
    kind: field("string", "kind"),
    userId: field("string", "user"),
    binding: field("string", "binding"),
    rememberMe: field("boolean", "remember_me"),
    signOuts: field("number", "sign_outs"),
    expiresAtMillis: field("number", "expires_at"),
  },
  required: "kind",
}

const issueFunction = luaFunction("user_tokens.issue", { keys: ["token"] })

/** Makes the store of single-use tokens; each is in the slot that it names, under the hash of its text. */
export const makeTokenStore = Effect.map(RedisClient, (client) => {
  const tokens = makeEntities(client, tokenKind)
  return {
    find: (slot: number, tokenHash: string) => tokens.fetch(tokenKey(slot, tokenHash)),
    issue: (slot: number, tokenHash: string, token: TokenEntity) =>
      Effect.flatMap(tokens.fieldsOf(token), (fields) =>
        Effect.asVoid(
          callFunction(
            client,
            issueFunction,
            { token: tokenKey(slot, tokenHash) },
            { fields, expiresAt: token.expiresAtMillis },
          ),
        ),
      ),
  }
})
