import { Effect } from "effect"
import { type Feed, isId } from "../../schema/ids.ts"
import { lookupTermsOf } from "../store/chargeLookup.ts"
import * as keys from "../store/keys.ts"
import { writeKey } from "../store/partitions.ts"
import type { RedisClient, RedisCommand } from "../store/redis/redisClient.ts"
import { differs } from "./difference.ts"
import { type AuditFailure, forEachPage, lookAgain } from "./reads.ts"
import type { RepairReport } from "./repairReport.ts"
import type { Sighting } from "./resourceKind.ts"

type Client = RedisClient["Service"]

/** What a stored charge is found by. */
interface Found {
  readonly id: string
  readonly document: string
  readonly customer: string | undefined
}

/** Reads what charges are found by. */
const readFound = (client: Client, ids: ReadonlyArray<string>) =>
  Effect.map(
    client.callAll(
      ids.map((id): RedisCommand => ["HMGET", [keys.transactionKey(id), "document", "customer"]]),
    ),
    (replies) =>
      ids.map((id, i): Found => {
        const [document, customer] = (replies[i] ?? []) as ReadonlyArray<string | null>
        return { id, document: document ?? "", customer: customer ?? undefined }
      }),
  )

/** Of stored charges, what the index must have and what it lacks. */
const missingOf = Effect.fnUntraced(function* (client: Client, feed: Feed, charges: ReadonlyArray<Found>) {
  const members = charges.flatMap(({ id, document, customer }) =>
    lookupTermsOf(document, customer).map((digest) => `${digest} ${id}`),
  )
  const scores = yield* client.callAll(
    members.map((member): RedisCommand => ["ZSCORE", [keys.lookupKey(feed), member]]),
  )
  return members.filter((_, i) => scores[i] === null)
})

/** Checks that charges are found by what their documents have. */
export const auditLookupsOf = Effect.fnUntraced(function* (
  client: Client,
  feed: Feed,
  sightings: ReadonlyArray<Sighting>,
): Effect.fn.Return<void, AuditFailure> {
  const charges = sightings.map(({ id, record: { document = "", customer } }) => ({ id, document, customer }))
  for (const member of yield* missingOf(client, feed, charges)) {
    const id = member.split(" ")[1] ?? ""
    yield* lookAgain(
      Effect.gen(function* () {
        const [missing] = yield* missingOf(client, feed, yield* readFound(client, [id]))
        if (missing === undefined) return
        yield* differs("lookup", keys.lookupKey(feed), {
          expected: `${missing} in it`,
          found: "no such entry",
        })
      }),
    )
  }
})

/** Entries of a page of the index that no charge of the seller's has. */
const strangersOf = Effect.fnUntraced(function* (client: Client, members: ReadonlyArray<string>, feed: Feed) {
  const named = members.map((member) => {
    const [digest = "", id = ""] = member.split(" ")
    return { member, digest, id: isId("txn_", id) && keys.tagOf(id) === keys.tagOf(feed.sellerId) ? id : "" }
  })
  const records = yield* client.callAll(
    named.map(
      ({ id }): RedisCommand => [
        "HMGET",
        [id === "" ? keys.lookupKey(feed).replace(/^lookup/, "none") : keys.transactionKey(id), ...fields],
      ],
    ),
  )
  return named.flatMap(({ member, digest }, i) => {
    const [document, customer, seller, mode] = (records[i] ?? []) as ReadonlyArray<string | null>
    const isOwn = seller === feed.sellerId && mode === feed.mode
    return isOwn && lookupTermsOf(document ?? "", customer ?? undefined).includes(digest) ? [] : [member]
  })
})
const fields = ["document", "customer", "seller", "mode"]

/** Checks that the index has nothing that no charge has. */
export const auditLookupIndex = (client: Client, feed: Feed) =>
  forEachPage(client, keys.lookupKey(feed), (members) =>
    Effect.gen(function* () {
      for (const stranger of yield* strangersOf(client, members, feed)) {
        yield* lookAgain(
          Effect.gen(function* () {
            const [still] = yield* strangersOf(client, [stranger], feed)
            if (still === undefined) return
            if ((yield* client.call("ZSCORE", [keys.lookupKey(feed), still])) === null) return
            yield* differs("lookup", keys.lookupKey(feed), {
              expected: "only what its charges have",
              found: still,
            })
          }),
        )
      }
    }),
  )

/** Makes the index agree with the charges. */
export const repairLookups = Effect.fnUntraced(function* (
  client: Client,
  feed: Feed,
  report: RepairReport,
): Effect.fn.Return<void, AuditFailure> {
  const index = keys.lookupKey(feed)
  yield* forEachPage(client, index, (members) =>
    Effect.gen(function* () {
      for (const member of yield* strangersOf(client, members, feed)) {
        if ((yield* writeKey(client, "ZREM", index, member)) === 1)
          report.indexes.push(`${index} loses ${member}`)
      }
    }),
  )
  yield* forEachPage(client, keys.transactionsKey(feed.sellerId, feed.mode), (ids) =>
    Effect.gen(function* () {
      for (const member of yield* missingOf(client, feed, yield* readFound(client, ids))) {
        if ((yield* writeKey(client, "ZADD", index, "NX", 0, member)) === 1) {
          report.indexes.push(`${index} gains ${member}`)
        }
      }
    }),
  )
})
