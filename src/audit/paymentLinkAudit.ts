import { isDeepStrictEqual } from "node:util"
import { Effect } from "effect"
import type { Feed } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { type LinkCounts, repairLinkCounts } from "../store/audit.ts"
import * as keys from "../store/keys.ts"
import type { RedisClient } from "../store/redis/redisClient.ts"
import { differs } from "./difference.ts"
import { readChargeDocument } from "./documents.ts"
import { type AuditFailure, forEachPage, lookAgain } from "./reads.ts"
import type { RepairReport } from "./repairReport.ts"

type Client = RedisClient["Service"]

const countFields = ["payments", "paid_amount", "pending"]
/** What was counted of charges that test mode has deleted since. */
const goneFields = ["gone_payments", "gone_amount"]

const textOf = ([payments, paid, pending]: LinkCounts): string =>
  `${payments} payments of ${paid} in all, and ${pending} pending`

/** A link's counts as stored, and the part of them whose charges are gone. */
const readCounts = (client: Client, linkId: string) =>
  Effect.map(client.call("HMGET", [keys.paymentLinkKey(linkId), ...countFields, ...goneFields]), (reply) => {
    const [payments, paid, pending, gonePayments, goneAmount] = (reply as ReadonlyArray<string | null>).map(
      (text) => text ?? "0",
    )
    return {
      stored: [payments ?? "0", paid ?? "0", pending ?? "0"] as LinkCounts,
      gone: [Number(gonePayments), Number(goneAmount)] as const,
    }
  })

/** A page of a link's charges in the index by which they are found, oldest first; `afterId` "" begins. */
const readChargeIds = (client: Client, feed: Feed, linkId: string, afterId: string) =>
  Effect.map(
    client.call("ZRANGE", [
      ...[keys.lookupKey(feed), afterId === "" ? `[${linkId} ` : `(${linkId} ${afterId}`, `(${linkId}!`],
      ...["BYLEX", "LIMIT", 0, limits.auditPageIds],
    ]),
    (reply) => (reply as ReadonlyArray<string>).map((member) => member.slice(linkId.length + 1)),
  )

/** Adds up a link's charges, page by page. */
const recount = Effect.fnUntraced(function* (client: Client, feed: Feed, linkId: string) {
  let [payments, paid, pending] = [0, 0, 0]
  for (let afterId = ""; ; ) {
    const ids = yield* readChargeIds(client, feed, linkId, afterId)
    const documents = yield* client.callAll(
      ids.map((id) => ["HGET", [keys.transactionKey(id), "document"]] as const),
    )
    for (const document of documents) {
      const charge = readChargeDocument(document === null ? undefined : String(document))
      if (charge?.status === "pending") pending += 1
      if (!charge?.paid_at) continue
      payments += 1
      paid += charge.amount
    }
    if (ids.length < limits.auditPageIds) return { payments, paid, pending }
    afterId = ids.at(-1) ?? ""
  }
})

/** A link's counts as they are stored and as its charges add up; undefined where they agree, or changed meanwhile. */
const differing = Effect.fnUntraced(function* (client: Client, feed: Feed, linkId: string) {
  const before = yield* readCounts(client, linkId)
  const { payments, paid, pending } = yield* recount(client, feed, linkId)
  const after = yield* readCounts(client, linkId)
  if (!isDeepStrictEqual(before, after)) return undefined
  const { stored, gone } = after
  const expected: LinkCounts = [String(payments + gone[0]), String(paid + gone[1]), String(pending)]
  return isDeepStrictEqual(stored, expected) ? undefined : { expected, stored }
})

/**
 * Checks that the payments, the sum and the pending ones of each payment link are those of its charges. A link that is paid during each
 * look is left to the next audit.
 */
export const auditPaymentLinks = (client: Client, feed: Feed) =>
  forEachPage(client, keys.paymentLinksKey(feed.sellerId, feed.mode), (linkIds) =>
    Effect.gen(function* () {
      for (const linkId of linkIds) {
        yield* lookAgain(
          Effect.gen(function* () {
            const both = yield* differing(client, feed, linkId)
            if (both === undefined) return
            yield* differs("payment_link", keys.paymentLinkKey(linkId), {
              expected: textOf(both.expected),
              found: textOf(both.stored),
            })
          }),
        )
      }
    }),
  )

/** Sets the counts of each payment link to those of its charges. Run it once the index by which these are found is mended. */
export const repairPaymentLinks = (
  client: Client,
  feed: Feed,
  report: RepairReport,
): Effect.Effect<void, AuditFailure> =>
  forEachPage(client, keys.paymentLinksKey(feed.sellerId, feed.mode), (linkIds) =>
    Effect.gen(function* () {
      for (const linkId of linkIds) {
        const both = yield* differing(client, feed, linkId)
        if (both !== undefined && (yield* repairLinkCounts(client, linkId, both))) {
          report.counters.push(`${keys.paymentLinkKey(linkId)}: it was ${textOf(both.stored)}`)
        }
      }
    }),
  )
