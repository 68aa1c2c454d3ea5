import { Effect } from "effect"
import type { Feed } from "../../schema/ids.ts"
import * as keys from "../store/keys.ts"
import type { RedisClient } from "../store/redis/redisClient.ts"
import { readHash } from "../store/redis/reply.ts"
import { differs, type Fault, shown } from "./difference.ts"
import { type Fields, lookAgain, readFields } from "./reads.ts"
import type { Sighting } from "./resourceKind.ts"

type Client = RedisClient["Service"]

/** Whether a PIX key holds its value, so that the seller cannot register the value again. */
const holdsValue = (status: string | undefined): boolean =>
  status === "pending_approval" || status === "verified"

/** Where the hash of values and a PIX key differ. Does not show the values' hashes. */
const valueFault = (id: string, record: Fields, holder: string | undefined): Fault | undefined => {
  if (!holdsValue(record.status)) {
    return holder === id
      ? { expected: `no value held by ${id}, which is ${record.status}`, found: "one" }
      : undefined
  }
  return holder === id ? undefined : { expected: `its value held by ${id}`, found: shown(holder) }
}

/** Checks that each pending or verified PIX key of a page holds its value, and that no other key does. */
export const auditPixKeyValues = Effect.fnUntraced(function* (
  client: Client,
  feed: Feed,
  sightings: ReadonlyArray<Sighting>,
) {
  const values = keys.pixKeyValuesKey(feed)
  const holders = yield* client.callAll(
    sightings.map(({ record }) => ["HGET", [values, record.value_hash ?? ""]] as const),
  )
  const suspects = sightings.filter(
    ({ id, record }, i) => valueFault(id, record, String(holders[i] ?? "") || undefined) !== undefined,
  )
  for (const { id } of suspects) {
    yield* lookAgain(
      Effect.gen(function* () {
        const names = ["status", "value_hash"]
        const record = readFields(names, yield* client.call("HMGET", [keys.pixKeyKey(id), ...names]))
        const holder = yield* client.call("HGET", [values, record.value_hash ?? ""])
        const fault = valueFault(id, record, holder === null ? undefined : String(holder))
        if (fault !== undefined) yield* differs("pix_key", values, fault)
      }),
    )
  }
})

/** Checks that each held value is held by a PIX key of this seller and mode that has it. A mode has only a few. */
export const auditHeldValues = (client: Client, feed: Feed) =>
  lookAgain(
    Effect.gen(function* () {
      const key = keys.pixKeyValuesKey(feed)
      const held = Object.entries(readHash(yield* client.call("HGETALL", [key])))
      const names = ["seller", "mode", "status", "value_hash"]
      const replies = yield* client.callAll(
        held.map(([, id]) => ["HMGET", [keys.pixKeyKey(id), ...names]] as const),
      )
      for (const [i, [valueHash, id]] of held.entries()) {
        const record = readFields(names, replies[i])
        const isOwn = record.seller === feed.sellerId && record.mode === feed.mode
        if (isOwn && holdsValue(record.status) && record.value_hash === valueHash) continue
        yield* differs("pix_key", key, {
          expected: "each value held by a pending or verified PIX key of the seller that has it",
          found: `${shown(id)}, which is ${isOwn ? `${record.status} or has another value` : "not the seller's"}`,
        })
      }
    }),
  )

/** Checks that each API key in a mode's hash has a record that agrees. Does not show the keys' hashes. */
export const auditApiKeys = (client: Client, feed: Feed) =>
  lookAgain(
    Effect.gen(function* () {
      const key = keys.apiKeysKey(feed.sellerId, feed.mode)
      const partition = keys.partitionOf(feed.sellerId)
      const listed = Object.entries(readHash(yield* client.call("HGETALL", [key])))
      const names = ["id", "seller", "mode"]
      const replies = yield* client.callAll(
        listed.map(([, keyHash]) => ["HMGET", [keys.apiKeyKey(partition, keyHash), ...names]] as const),
      )
      for (const [i, [id]] of listed.entries()) {
        const record = readFields(names, replies[i])
        const expected = `${id} ${feed.sellerId} ${feed.mode}`
        const found = names.map((name) => record[name] ?? "-").join(" ")
        if (found === expected) continue
        yield* differs("api_key", key, {
          expected: `a record of ${expected} at ${keys.apiKeyKey(partition, "…")}`,
          found: record.id === undefined ? "none" : found,
        })
      }
    }),
  )
