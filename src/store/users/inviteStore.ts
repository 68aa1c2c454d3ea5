import { Effect } from "effect"
import { inviteKey, invitesKey } from "../keys.ts"
import { type EntityKind, field, makeEntities } from "../redis/entities.ts"
import { RedisClient } from "../redis/redisClient.ts"
import { createInvite } from "./createInvite.ts"
import { revokeInvite } from "./revokeInvite.ts"

/** An invite as stored; its token's hash is a field, since the token names the invite's id. */
export interface InviteEntity {
  readonly id: string
  readonly email: string
  readonly tokenHash: string
  /** The seller that signing up by it makes: drawn with the invite, so that trying again makes no second one. */
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

/** Makes the store of invites. */
export const makeInviteStore = Effect.map(RedisClient, (client) => {
  const invites = makeEntities(client, inviteKind)
  const find = (inviteId: string) => invites.fetch(inviteKey(inviteId))
  return {
    find,
    /** Lists an invite, which comes before it is created: an id without a record is skipped, a record without one is lost. */
    enlist: (inviteId: string) => Effect.asVoid(client.call("ZADD", [invitesKey, 0, inviteId])),
    create: (invite: InviteEntity) =>
      Effect.flatMap(invites.fieldsOf(invite), (fields) =>
        createInvite(client)(invite.id, invite.expiresAtMillis, fields),
      ),
    /** Up to `count` listed invites below an id, newest first; those that have ended are left out. */
    list: Effect.fnUntraced(function* (beforeId: string | undefined, count: number) {
      const from = beforeId === undefined ? "+" : `(${beforeId}`
      const range = [invitesKey, from, "-", "BYLEX", "REV", "LIMIT", 0, count]
      const ids = (yield* client.call("ZRANGE", range)) as ReadonlyArray<string>
      const found = yield* Effect.forEach(ids, find, { concurrency: "unbounded" })
      return found.filter((invite) => invite !== undefined)
    }),
    revoke: revokeInvite(client),
  }
})
