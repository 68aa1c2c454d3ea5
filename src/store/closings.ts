import { Effect, Layer } from "effect"
import {
  type ClosingLease,
  ClosingStore,
  type DayMovements,
  type PartnerDay,
  type StoredClosing,
} from "../../actors/ports/closingStore.ts"
import { type Amounts, type Movements, noAmounts } from "../../actors/values/closing.ts"
import type { Feed, Mode } from "../../schema/ids.ts"
import { type Bucket, buckets, type LedgerKind } from "../../schema/resources/ledger.ts"
import * as keys from "./keys.ts"
import { callFunction } from "./redis/functionLibrary.ts"
import { luaFunction } from "./redis/luaFunction.ts"
import { RedisClient, type Reply } from "./redis/redisClient.ts"
import { readKind, words } from "./redis/reply.ts"

type Client = RedisClient["Service"]

/** `available:-100 external:100`: buckets that are 0 are left out. */
const amountsText = (amounts: Amounts): string =>
  buckets
    .filter((bucket) => amounts[bucket] !== 0)
    .map((bucket) => `${bucket}:${amounts[bucket]}`)
    .join(" ")

const readAmounts = (text: string): Amounts => {
  const amounts = { ...noAmounts }
  for (const part of text.split(" ")) {
    const [bucket, amount] = part.split(":")
    if (amount !== undefined) amounts[bucket as Bucket] = Number(amount)
  }
  return amounts
}

/** `charge_paid available:100 external:-100;refund_held …`. */
const movementsText = (movements: Movements): string =>
  (Object.entries(movements) as ReadonlyArray<[LedgerKind, Amounts]>)
    .map(([kind, amounts]) => `${kind} ${amountsText(amounts)}`)
    .join(";")

const readMovements = (text: string): Movements =>
  Object.fromEntries(
    text
      .split(";")
      .filter((part) => part !== "")
      .map((part) => {
        const end = part.indexOf(" ")
        return [part.slice(0, end), readAmounts(part.slice(end + 1))]
      }),
  )

/** A stream's entry with its fields. */
interface ClosingEntry extends DayMovements {
  readonly fields: Readonly<Record<string, string>>
}

/** Reads the reply of XRANGE or XREVRANGE over a stream of closings. */
export const readClosings = (reply: Reply | undefined): ReadonlyArray<ClosingEntry> =>
  ((reply ?? []) as ReadonlyArray<readonly [string, ReadonlyArray<string>]>).map(([entryId, values]) => {
    const fields: Record<string, string> = {}
    for (let i = 0; i + 1 < values.length; i += 2) fields[values[i] ?? ""] = values[i + 1] ?? ""
    return {
      day: keys.dayOfEntry(entryId),
      movements: readMovements(fields.movements ?? ""),
      closing: readAmounts(fields.closing ?? ""),
      fields,
    }
  })

/** The partner's figures in order: received, sent, returned, difference, then both of the balance if there are; empty for none. */
const partnerText = (partner: PartnerDay | undefined): string => {
  if (partner === undefined) return ""
  const { received, sent, returned, difference, balance, balanceDifference } = partner
  const ofBalance = balance === null || balanceDifference === null ? [] : [balance, balanceDifference]
  return [received, sent, returned, difference, ...ofBalance].join(" ")
}

const readPartner = (text: string | undefined): PartnerDay | undefined => {
  if (!text) return undefined
  const [received = 0, sent = 0, returned = 0, difference = 0, balance = null, balanceDifference = null] =
    text.split(" ").map(Number)
  return { received, sent, returned, difference, balance, balanceDifference }
}

const claimFunction = luaFunction("closings.claim", { keys: ["lease"] })

/** Takes or renews the lease on the closing of days; answers its fence and Redis' clock, undefined while another process holds it. */
const claim = (client: Client) => (holder: string, leaseMillis: number) =>
  Effect.map(
    callFunction(client, claimFunction, { lease: keys.closingLeaseKey }, { holder, leaseMillis }),
    (reply) => {
      const [fence = 0, nowMillis = 0] = words(reply).map(Number)
      return fence === 0 ? undefined : { fence, nowMillis }
    },
  )

const closedKinds = { applied: "applied", stale: "stale" } as const

/** A day's movements and sums as a stream's entry has them. */
const closedDay = ({ day, movements, closing }: DayMovements) => ({
  entry: keys.entryOfDay(day),
  movements: movementsText(movements),
  closing: amountsText(closing),
})

const closeSellerFunction = luaFunction("closings.close_seller", { keys: ["state", "closings"] })

/** Writes the closing of a seller's day, once: `applied`, or refused as `stale`. */
const closeSeller =
  (client: Client) =>
  ({ fence }: ClosingLease, feed: Feed, closed: DayMovements) =>
    Effect.flatMap(
      callFunction(
        client,
        closeSellerFunction,
        {
          state: keys.closingStateKey(keys.partitionOf(feed.sellerId)),
          closings: keys.sellerClosingsKey(feed),
        },
        { fence, ...closedDay(closed) },
      ),
      readKind(closeSellerFunction, closedKinds),
    )

const closePartFunction = luaFunction("closings.close_part", { keys: ["state", "parts"] })

/** Marks a day as closed in a partition, once: `applied`, or refused as `stale`. */
const closePart =
  (client: Client) =>
  ({ fence }: ClosingLease, partition: number, mode: Mode, closed: DayMovements) =>
    Effect.flatMap(
      callFunction(
        client,
        closePartFunction,
        { state: keys.closingStateKey(partition), parts: keys.closingPartsKey(partition, mode) },
        { fence, mode, day: closed.day, ...closedDay(closed) },
      ),
      readKind(closePartFunction, closedKinds),
    )

const closeWholeFunction = luaFunction("closings.close_whole", { keys: ["lease", "closings"] })

/** Writes the closing of a day over all sellers, once: `applied`, or refused as `stale`. */
const closeWhole =
  (client: Client) =>
  ({ fence }: ClosingLease, mode: Mode, closed: Omit<StoredClosing, "createdAtMillis">) =>
    Effect.flatMap(
      callFunction(
        client,
        closeWholeFunction,
        { lease: keys.closingLeaseKey, closings: keys.closingsKey(mode) },
        { fence, partner: partnerText(closed.partner), ...closedDay(closed) },
      ),
      readKind(closeWholeFunction, closedKinds),
    )

const wholeOf = ({ fields, ...movements }: ClosingEntry): StoredClosing => ({
  ...movements,
  partner: readPartner(fields.partner),
  createdAtMillis: Number(fields.created_at),
})

const newestOf = (reply: Reply): DayMovements | undefined => {
  const [entry] = readClosings(reply)
  if (entry === undefined) return undefined
  const { fields: _, ...movements } = entry
  return movements
}

/** Closings on Redis Streams: an entry's id is its day, so they sort by day and none is written twice. */
export const ClosingStoreLive = Layer.effect(
  ClosingStore,
  Effect.gen(function* () {
    const client = yield* RedisClient

    /** The newest closing of a stream up to and including a day. */
    const upTo = (stream: string, day: string) =>
      Effect.map(client.call("XREVRANGE", [stream, keys.entryOfDay(day), "-", "COUNT", 1]), newestOf)

    return ClosingStore.of({
      claim: claim(client),
      sellers: (partition, afterId, sellersMax) =>
        Effect.map(
          client.call("ZRANGEBYLEX", [
            ...[keys.sellersKey(partition), afterId === "" ? "-" : `(${afterId}`, "+"],
            ...["LIMIT", 0, sellersMax],
          ]),
          (ids) => ids as ReadonlyArray<string>,
        ),
      closeSeller: closeSeller(client),
      closePart: closePart(client),
      closeWhole: closeWhole(client),
      ofSeller: (feed, day) => upTo(keys.sellerClosingsKey(feed), day),
      ofPart: (partition, mode, day) => upTo(keys.closingPartsKey(partition, mode), day),
      lastOfPart: (partition, mode) =>
        Effect.map(client.call("HGET", [keys.closingStateKey(partition), mode]), (day) =>
          day === null ? undefined : String(day),
        ),
      get: (mode, day) => {
        const entry = keys.entryOfDay(day)
        return Effect.map(client.call("XRANGE", [keys.closingsKey(mode), entry, entry]), (reply) =>
          readClosings(reply).map(wholeOf).at(0),
        )
      },
      list: (mode, beforeDay, limit) => {
        const newest = beforeDay === undefined ? "+" : `(${keys.entryOfDay(beforeDay)}`
        return Effect.map(
          client.call("XREVRANGE", [keys.closingsKey(mode), newest, "-", "COUNT", limit]),
          (reply) => readClosings(reply).map(wholeOf),
        )
      },
    })
  }),
)
