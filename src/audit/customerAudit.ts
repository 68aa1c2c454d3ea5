import { Effect } from "effect"
import { emailOfCharge, erasedEmail } from "../../actors/values/chargeLookups.ts"
import { customerSumsOf } from "../../actors/values/customerSums.ts"
import type { Feed } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { nameCustomer, setSums } from "../store/customers.ts"
import * as keys from "../store/keys.ts"
import type { RedisClient, RedisCommand } from "../store/redis/redisClient.ts"
import { differs, shown } from "./difference.ts"
import { readChargeDocument } from "./documents.ts"
import { type AuditFailure, forEachPage, lookAgain } from "./reads.ts"
import type { RepairReport } from "./repairReport.ts"

type Client = RedisClient["Service"]

/** The customer of a charge, by its id and document: for whoever has `ENCRYPTION_KEY`. Undefined where it does not open. */
export type CustomerOfCharge = (feed: Feed, id: string, document: string) => string | undefined

/** The form of the digests that name customers; all else in the index has another. */
const digestPattern = /^[0-9A-Z]{14}$/

/** What the charges of a digest add up to, in centavos, as their documents say. */
const addUp = Effect.fnUntraced(function* (client: Client, feed: Feed, digest: string) {
  const sums = { charges: 0, paid: 0, refunded: 0 }
  for (let after = `[${digest} `; ; ) {
    const reply = yield* client.call("ZRANGE", [
      ...[keys.lookupKey(feed), after, `(${digest}!`],
      ...["BYLEX", "LIMIT", 0, limits.auditPageIds],
    ])
    const members = reply as ReadonlyArray<string>
    const documents = yield* client.callAll(
      members.map((member): RedisCommand => {
        return ["HGET", [keys.transactionKey(member.slice(digest.length + 1)), "document"]]
      }),
    )
    for (const document of documents) {
      const charge = readChargeDocument(document === null ? undefined : String(document))
      if (charge === undefined) continue
      const { paid, refunded } = customerSumsOf(charge)
      sums.charges += 1
      sums.paid += paid
      sums.refunded += refunded
    }
    if (members.length < limits.auditPageIds) return sums
    after = `(${members.at(-1)}`
  }
})

const textOf = ({ paid, refunded }: { readonly paid: number; readonly refunded: number }): string =>
  paid === 0 && refunded === 0 ? "" : `${paid} ${refunded}`

const readStored = (client: Client, feed: Feed, digest: string) =>
  Effect.map(client.call("HGET", [keys.customersKey(feed), digest]), (text) => String(text ?? ""))

const checkOne = (client: Client, feed: Feed, digest: string) =>
  lookAgain(
    Effect.gen(function* () {
      const expected = textOf(yield* addUp(client, feed, digest))
      const found = yield* readStored(client, feed, digest)
      if (expected === found) return
      yield* differs("customer", keys.customersKey(feed), {
        expected: `${digest} with ${shown(expected || undefined)}`,
        found: shown(found || undefined),
      })
    }),
  )

/** The digests in the hash of sums, some at a time. */
const forEachSummed = Effect.fnUntraced(function* <E>(
  client: Client,
  feed: Feed,
  step: (digest: string) => Effect.Effect<void, E>,
) {
  let cursor = "0"
  do {
    const reply = yield* client.call("HSCAN", [keys.customersKey(feed), cursor, "COUNT", limits.auditPageIds])
    const [next, pairs] = reply as readonly [string, ReadonlyArray<string>]
    for (const digest of pairs.filter((_, i) => i % 2 === 0)) yield* step(digest)
    cursor = next
  } while (cursor !== "0")
})

/** Runs a step on every digest that the index or the hash of sums has, those of both twice where they have sums. */
const forEachDigest = Effect.fnUntraced(function* (
  client: Client,
  feed: Feed,
  step: (digest: string) => Effect.Effect<void, AuditFailure>,
): Effect.fn.Return<void, AuditFailure> {
  let last = ""
  yield* forEachPage(client, keys.lookupKey(feed), (members) =>
    Effect.gen(function* () {
      for (const member of members) {
        const digest = member.slice(0, member.indexOf(" "))
        if (digest === last || !digestPattern.test(digest)) continue
        last = digest
        yield* step(digest)
      }
    }),
  )
  yield* forEachSummed(client, feed, (digest) =>
    Effect.gen(function* () {
      const range = [`[${digest} `, `(${digest}!`]
      const charges = yield* client.call("ZLEXCOUNT", [keys.lookupKey(feed), ...range])
      if (charges === 0) yield* step(digest)
    }),
  )
})

/** Checks that the sums of customers are those of their charges. */
export const auditCustomers = (client: Client, feed: Feed) =>
  forEachDigest(client, feed, (digest) => checkOne(client, feed, digest))

/** Sets the sums of a digest to those of its charges; again where a commit changes them meanwhile. */
const mendOne = Effect.fnUntraced(function* (
  client: Client,
  feed: Feed,
  digest: string,
  report: RepairReport,
): Effect.fn.Return<void, AuditFailure> {
  for (let tries = 0; tries < limits.repairCountersTriesMax; tries++) {
    // Read before its charges: a commit that changes one changes the sums too.
    const expected = yield* readStored(client, feed, digest)
    const sums = yield* addUp(client, feed, digest)
    if (textOf(sums) === expected) return
    const { paid, refunded } = sums
    if ((yield* setSums(client)(feed, { digest, expected, paid, refunded })).kind === "set") {
      report.counters.push(`${keys.customersKey(feed)}: ${digest} was ${expected || "absent"}`)
      return
    }
  }
})

/** Lets the charges that name no customer, and whose customer was not erased, name theirs. */
const nameAll = (client: Client, feed: Feed, customerOf: CustomerOfCharge, report: RepairReport) =>
  forEachPage(client, keys.transactionsKey(feed.sellerId, feed.mode), (ids) =>
    Effect.gen(function* () {
      const records = yield* client.callAll(
        ids.map((id): RedisCommand => {
          return ["HMGET", [keys.transactionKey(id), "version", "document", "customer"]]
        }),
      )
      for (const [i, id] of ids.entries()) {
        const [version, document, customer] = (records[i] ?? []) as ReadonlyArray<string | null>
        if (!version || !document || customer || emailOfCharge(document) === erasedEmail) continue
        if (readChargeDocument(document) === undefined) continue
        const digest = customerOf(feed, id, document)
        if (digest === undefined) continue
        const { kind } = yield* nameCustomer(client)(feed, { id, version, document, digest })
        if (kind === "named") report.indexes.push(`${keys.lookupKey(feed)} gains ${digest} ${id}`)
      }
    }),
  )

/** Makes sums of customers agree with the charges and, with `customerOf`, charges from before there were customers name theirs. */
export const repairCustomers = Effect.fnUntraced(function* (
  client: Client,
  feed: Feed,
  customerOf: CustomerOfCharge | undefined,
  report: RepairReport,
): Effect.fn.Return<void, AuditFailure> {
  if (customerOf !== undefined) yield* nameAll(client, feed, customerOf, report)
  yield* forEachDigest(client, feed, (digest) => mendOne(client, feed, digest, report))
})
