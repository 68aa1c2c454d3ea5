import { Effect } from "effect"
import { limits } from "../../schema/limits.ts"
import { inviteKey, invitesKey } from "./keys.ts"
import { type EntityKind, field, makeEntities } from "./redis/entities.ts"
import { callFunction } from "./redis/functionLibrary.ts"
import { luaFunction } from "./redis/luaFunction.ts"
import { RedisClient } from "./redis/redisClient.ts"
import { readKind } from "./redis/reply.ts"

/** An invite as stored. The token contains the invite's id, so the token's hash is a field. */
export interface InviteEntity {
  readonly id: string
  readonly email: string
  readonly tokenHash: string
  /** The id of the seller that sign-up creates, drawn with the invite so that a retry creates no second one. */
  readonly sellerId: string
  readonly createdBy?: string
  readonly createdAtMillis: number
  readonly expiresAtMillis: number
  readonly usedAtMillis?: number
  readonly revokedAtMillis?: number
}

const inviteKind: EntityKind<InviteEntity> = {
  name: "invite",
  fields: {
    id: field("string", "id"),
    email: field("string", "email"),
    tokenHash: field("string", "token_hash"),
    sellerId: field("string", "seller_id"),
    createdBy: field("string", "created_by"),
    createdAtMillis: field("number", "created_at"),
    expiresAtMillis: field("number", "expires_at"),
    usedAtMillis: field("number", "used_at"),
    revokedAtMillis: field("number", "revoked_at"),
  },
  required: "id",
}

const createFunction = luaFunction("invites.create", { keys: ["invite"] })
const revokeFunction = luaFunction("invites.revoke", { keys: ["invite"] })

/** Makes the store of invites. */
export const makeInviteStore = Effect.map(RedisClient, (client) => {
  const invites = makeEntities(client, inviteKind)
  const find = (inviteId: string) => invites.fetch(inviteKey(inviteId))
  return {
    find,
    /** Adds an invite to the list. Called before it is created: lists skip an id without a record. */
    enlist: (inviteId: string) => Effect.asVoid(client.call("ZADD", [invitesKey, 0, inviteId])),
    create: (invite: InviteEntity) =>
      Effect.flatMap(invites.fieldsOf(invite), (fields) =>
        Effect.asVoid(
          callFunction(
            client,
            createFunction,
            { invite: inviteKey(invite.id) },
            { fields, expiresAt: invite.expiresAtMillis + limits.inviteShownMillis },
          ),
        ),
      ),
    /** Up to `count` invites below an id, newest first, without those whose record has expired. */
    list: Effect.fnUntraced(function* (beforeId: string | undefined, count: number) {
      const from = beforeId === undefined ? "+" : `(${beforeId}`
      const range = [invitesKey, from, "-", "BYLEX", "REV", "LIMIT", 0, count]
      const ids = (yield* client.call("ZRANGE", range)) as ReadonlyArray<string>
      const found = yield* Effect.forEach(ids, find, { concurrency: "unbounded" })
      return found.filter((invite) => invite !== undefined)
    }),
    /** Revokes an invite: `revoked`, or refused as `missing` or `used`. */
    revoke: (inviteId: string) =>
      Effect.flatMap(
        callFunction(client, revokeFunction, { invite: inviteKey(inviteId) }),
        readKind(revokeFunction, { revoked: "revoked", missing: "missing", used: "used" }),
      ),
  }
})
