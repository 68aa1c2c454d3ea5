import { Effect } from "effect"
import { limits } from "../../../schema/limits.ts"
import * as keys from "../keys.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

/** A session to be written: the hash of its token, its end, and the fields and values of its hash in turn. */
export interface SessionToWrite {
  readonly tokenHash: string
  readonly expiresAtMillis: number
  readonly fields: ReadonlyArray<string>
}

/** A user to be. */
export interface UserToCreate {
  readonly id: string
  readonly email: string
  /** The fields and values of its hash in turn. */
  readonly fields: ReadonlyArray<string>
  /** What signing up uses. */
  readonly invite: { readonly id: string; readonly tokenHash: string } | undefined
  readonly session: SessionToWrite | undefined
}

const kinds = {
  created: "created",
  email_taken: "emailTaken",
  invite_unusable: "inviteUnusable",
} as const

/** functions/create_user.lua */
export const createUser = (client: RedisClient["Service"]) => (user: UserToCreate) => {
  const { invite, session } = user
  const slot = keys.accountSlotOfUser(user.id)
  const call = callFunction(
    client,
    "create_user",
    [
      keys.userEmailKey(user.email),
      keys.userKey(user.id),
      keys.sessionsKey(user.id),
      invite === undefined ? keys.userKey(user.id) : keys.inviteKey(invite.id),
    ],
    [
      ...[user.id, invite?.tokenHash ?? "", user.email.toLowerCase(), keys.sessionPrefix(slot)],
      ...[session?.tokenHash ?? "", session?.expiresAtMillis ?? 0, limits.sessionsPerUserMax],
      ...[user.fields.length, ...user.fields, ...(session?.fields ?? [])],
    ],
  )
  return Effect.flatMap(call, readKind("create_user", kinds))
}
