import { Effect } from "effect"
import { isId } from "../../schema/ids.ts"
import * as keys from "../store/keys.ts"
import { writeKey } from "../store/partitions.ts"
import type { RedisClient, RedisCommand } from "../store/redis/redisClient.ts"
import {
  type DocumentTerm,
  type IndexedSeller,
  indexSellers,
  missingTerms,
  readIndexedSellers,
  termsIn,
} from "../store/sellerLookup.ts"
import { differs } from "./difference.ts"
import { type AuditFailure, forEachPage, lookAgain } from "./reads.ts"
import type { RepairReport } from "./repairReport.ts"

type Client = RedisClient["Service"]

/** Whether a seller's record names what it must be found by. Only whoever has `ENCRYPTION_KEY` can check the document's term. */
const isNamed = ({ foundBy, nameTerms, document }: IndexedSeller): boolean => {
  const terms = termsIn(foundBy)
  const ofDocument = terms.filter((term) => term.startsWith("d:"))
  return (
    terms.filter((term) => term.startsWith("n:")).join(" ") === nameTerms.join(" ") &&
    ofDocument.length <= (document === "" ? 0 : 1)
  )
}

/** Checks that a seller is found by its names and its document. */
export const auditSellerLookup = (client: Client, sellerId: string) =>
  lookAgain(
    Effect.gen(function* () {
      const [seller] = yield* readIndexedSellers(client, [sellerId])
      if (seller === undefined) return
      if (!isNamed(seller)) {
        yield* differs("seller", keys.sellerKey(sellerId), {
          expected: "to be found by the words of its names",
          found: seller.foundBy === "" ? "no words" : "other words",
        })
      }
      const [missing] = yield* missingTerms(client, [seller])
      if (missing === undefined) return
      yield* differs("seller", keys.sellerLookupKeyOf(sellerId), {
        expected: `${missing.term} ${missing.id} in it`,
        found: "no such entry",
      })
    }),
  )

/** Entries of a page of a partition's index that no seller's record names. */
const strangersOf = Effect.fnUntraced(function* (
  client: Client,
  tag: string,
  members: ReadonlyArray<string>,
) {
  const named = members.map((member) => {
    const [term = "", id = ""] = member.split(" ")
    return { member, term, id: isId("sel_", id) && keys.tagOf(id) === tag ? id : "" }
  })
  const own = named.filter(({ id }) => id !== "")
  const records = yield* client.callAll(
    own.map(({ id }): RedisCommand => ["HGET", [keys.sellerKey(id), "found_by"]]),
  )
  const known = new Set(
    own.flatMap(({ member, term }, i) => (termsIn(String(records[i] ?? "")).includes(term) ? [member] : [])),
  )
  return members.filter((member) => !known.has(member))
})

/** Checks that a partition's index has nothing that no seller has. */
export const auditSellerLookupIndex = (client: Client, partition: number) => {
  const tag = keys.partitionTag(partition)
  const index = keys.sellerLookupKey(tag)
  return forEachPage(client, index, (members) =>
    Effect.gen(function* () {
      for (const stranger of yield* strangersOf(client, tag, members)) {
        yield* lookAgain(
          Effect.gen(function* () {
            const [still] = yield* strangersOf(client, tag, [stranger])
            if (still === undefined || (yield* client.call("ZSCORE", [index, still])) === null) return
            yield* differs("seller", index, { expected: "only what its sellers have", found: still })
          }),
        )
      }
    }),
  )
}

/** Makes a partition's index agree with its sellers. */
export const repairSellerLookups = Effect.fnUntraced(function* (
  client: Client,
  partition: number,
  documentTerm: DocumentTerm | undefined,
  report: RepairReport,
): Effect.fn.Return<void, AuditFailure> {
  const tag = keys.partitionTag(partition)
  const index = keys.sellerLookupKey(tag)
  yield* forEachPage(client, keys.sellersKey(partition), (ids) =>
    Effect.gen(function* () {
      for (const id of yield* indexSellers(client, ids, documentTerm))
        report.indexes.push(`${index} gains ${id}`)
    }),
  )
  yield* forEachPage(client, index, (members) =>
    Effect.gen(function* () {
      for (const member of yield* strangersOf(client, tag, members)) {
        if ((yield* writeKey(client, "ZREM", index, member)) === 1)
          report.indexes.push(`${index} loses ${member}`)
      }
    }),
  )
})
