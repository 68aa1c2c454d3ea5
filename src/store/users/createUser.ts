import { Effect } from "effect"
import { foldAddress } from "../../../actors/values/emailAddress.ts"
import { limits } from "../../../schema/limits.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["email", "user", "sessions", "invite"],
  args: [
    "user_id",
    "invite_token_hash",
    "email_address",
    "session_prefix",
    "token_hash",
    "expires_at",
    "sessions_max",
    "user_fields_count",
    "...user_then_session_fields",
  ],
})

/** A session to create; `fields` are names and values of its hash in turn. */
export interface SessionToWrite {
  readonly tokenHash: string
  readonly expiresAtMillis: number
  readonly fields: ReadonlyArray<string>
}

/** A user to create. */
export interface UserToCreate {
  readonly id: string
  readonly email: string
  /** Names and values of its hash in turn. */
  readonly fields: ReadonlyArray<string>
  /** The invite that a sign-up uses. */
  readonly invite: { readonly id: string; readonly tokenHash: string; readonly email: string } | undefined
  readonly session: SessionToWrite | undefined
}

const kinds = {
  created: "created",
  email_taken: "emailTaken",
  invite_unusable: "inviteUnusable",
} as const

/** Creates a user: `created`, or refused as `emailTaken` or `inviteUnusable`. */
export const createUser = (client: RedisClient["Service"]) => (user: UserToCreate) => {
  const { invite, session } = user
  const slot = keys.accountSlotOfUser(user.id)
  const call = callFunction(
    client,
    declaration,
    {
      email: keys.userEmailKey(user.email),
      user: keys.userKey(user.id),
      sessions: keys.sessionsKey(user.id),
      invite: invite === undefined ? keys.userKey(user.id) : keys.inviteKey(invite.id),
    },
    {
      user_id: user.id,
      invite_token_hash: invite?.tokenHash ?? "",
      email_address: foldAddress(user.email),
      session_prefix: keys.sessionPrefix(slot),
      token_hash: session?.tokenHash ?? "",
      expires_at: session?.expiresAtMillis ?? 0,
      sessions_max: limits.sessionsPerUserMax,
      user_fields_count: user.fields.length,
      user_then_session_fields: [...user.fields, ...(session?.fields ?? [])],
    },
  )
  return Effect.flatMap(call, readKind(declaration, kinds))
}
