import { Effect, Layer, Schema } from "effect"
import { MemberStore, type TeamChange } from "../../actors/ports/memberStore.ts"
import { firstMemberId, type Membership, type StoredTeam } from "../../actors/values/membership.ts"
import { storedReader } from "../../actors/values/storedDocuments.ts"
import { memberRoles } from "../../schema/memberRoles.ts"
import * as keys from "./keys.ts"
import { callFunction } from "./redis/functionLibrary.ts"
import { luaFunction } from "./redis/luaFunction.ts"
import { RedisClient } from "./redis/redisClient.ts"
import { readHash, readKind } from "./redis/reply.ts"

type Client = RedisClient["Service"]

const parseMember = storedReader(
  "member",
  Schema.Struct({
    role: Schema.Literals(memberRoles),
    createdAt: Schema.String,
    refundLimit: Schema.optionalKey(Schema.Number),
    userId: Schema.optionalKey(Schema.String),
    invitation: Schema.optionalKey(
      Schema.Struct({ email: Schema.String, tokenHash: Schema.String, expiresAtMillis: Schema.Number }),
    ),
  }),
)

const load =
  (client: Client) =>
  (sellerId: string): Effect.Effect<StoredTeam | undefined, Effect.Error<ReturnType<Client["call"]>>> =>
    Effect.map(
      client.callAll([
        ["HGET", [keys.sellerKey(sellerId), "user"]],
        ["HGETALL", [keys.membersKey(sellerId)]],
      ]),
      ([ownerId, stored]) => {
        if (ownerId == null) return undefined
        const { version = "0", operation: _, ...members } = readHash(stored)
        return {
          sellerId,
          ownerId: String(ownerId),
          version: Number(version),
          members: Object.entries(members)
            .map(([id, text]) => ({ id, ...parseMember(text) }))
            .toSorted((one, other) => (one.id < other.id ? -1 : 1)),
        }
      },
    )

const membershipOf =
  (client: Client) =>
  (sellerId: string, userId: string, memberId = firstMemberId(sellerId)) =>
    Effect.map(
      client.callAll([
        ["HGET", [keys.sellerKey(sellerId), "user"]],
        ["HGET", [keys.membersKey(sellerId), memberId]],
      ]),
      ([ownerId, stored]): Membership | undefined => {
        if (ownerId === userId) return { memberId, role: "owner", refundLimit: undefined }
        if (stored == null) return undefined
        const member = parseMember(String(stored))
        if (member.userId !== userId) return undefined
        return { memberId, role: member.role, refundLimit: member.refundLimit }
      },
    )

const changeFunction = luaFunction("members.change", {
  keys: ["seller", "members"],
  audited: { replies: ["changed"] },
})

const change = (client: Client) => (wanted: TeamChange) => {
  const { team, operation, written, removed, ownerId } = wanted
  return Effect.flatMap(
    callFunction(
      client,
      changeFunction,
      { seller: keys.sellerKey(team.sellerId), members: keys.membersKey(team.sellerId) },
      {
        version: team.version,
        operation,
        written: Object.fromEntries(written.map(({ id, ...member }) => [id, JSON.stringify(member)])),
        removed,
        ownerId,
      },
    ),
    readKind(changeFunction, { changed: "changed", stale: "stale", no_seller: "noSeller" }),
  )
}

/** Sellers' teams on Redis. */
export const MemberStoreLive = Layer.effect(
  MemberStore,
  Effect.map(RedisClient, (client) =>
    MemberStore.of({ load: load(client), membershipOf: membershipOf(client), change: change(client) }),
  ),
)
