import { Clock, Effect, Layer } from "effect"
import { CustomerStore, type StoredCustomer } from "../../actors/ports/customerStore.ts"
import { customerSumsOf } from "../../actors/values/customerSums.ts"
import type { Principal } from "../../actors/values/principal.ts"
import { parseCharge } from "../../actors/values/storedDocuments.ts"
import type { Feed } from "../../schema/ids.ts"
import * as keys from "./keys.ts"
import { callFunction } from "./redis/functionLibrary.ts"
import { luaFunction } from "./redis/luaFunction.ts"
import { RedisClient, type Reply } from "./redis/redisClient.ts"
import { readKind } from "./redis/reply.ts"
import { apiKeyCheck, isKeyValid } from "./requests.ts"

type Client = RedisClient["Service"]

/** What a stored charge adds to its customer's sums. */
export const sumsIn = (document: string) => customerSumsOf(parseCharge(document))

const readFunction = luaFunction("customers.read", {
  keys: ["lookup", "customers", "merges"],
  isReadOnly: true,
})

const readCustomer = (reply: Reply): StoredCustomer | undefined => {
  const [digests = "", charges, paid, refunded, first, last, shown] = reply as ReadonlyArray<string>
  if (first === undefined || last === undefined || shown === undefined) return undefined
  return {
    digests: digests.split(" ") as [string, ...Array<string>],
    charges: Number(charges),
    paidAmount: Number(paid),
    refundedAmount: Number(refunded),
    firstChargeId: first,
    lastChargeId: last,
    shownById: shown,
  }
}

const read = (client: Client) =>
  Effect.fnUntraced(function* (principal: Principal, digests: ReadonlyArray<string>) {
    const named = {
      lookup: keys.lookupKey(principal),
      customers: keys.customersKey(principal),
      merges: keys.customerMergesKey(principal),
    }
    const [[check], found] = yield* Effect.all(
      [client.callAll([apiKeyCheck(principal)]), callFunction(client, readFunction, named, { digests })],
      { concurrency: "unbounded" },
    )
    if (!isKeyValid(principal, check, yield* Clock.currentTimeMillis)) return { kind: "keyInvalid" } as const
    return (found as ReadonlyArray<Reply>).map(readCustomer)
  })

const mergeFunction = luaFunction("customers.merge", {
  keys: ["merges"],
  audited: { replies: ["merged"] },
})

const merge =
  (client: Client): CustomerStore["Service"]["merge"] =>
  (feed, { from, into, mergedMax }) =>
    Effect.flatMap(
      callFunction(
        client,
        mergeFunction,
        { merges: keys.customerMergesKey(feed) },
        { from, into, mergedMax },
      ),
      readKind(mergeFunction, { merged: "merged", same: "same", full: "full" }),
    )

const setSumsFunction = luaFunction("customers.set_sums", { keys: ["customers"] })

/** What a digest's charges add up to, in centavos, and the text that is replaced by it. */
interface MendedSums {
  readonly digest: string
  /** As the hash has it; "" for none. */
  readonly expected: string
  readonly paid: number
  readonly refunded: number
}

/** Sets the sums of a digest: `set`, or refused as `stale` where a commit has changed them. */
export const setSums = (client: Client) => (feed: Feed, change: MendedSums) =>
  Effect.flatMap(
    callFunction(client, setSumsFunction, { customers: keys.customersKey(feed) }, { ...change }),
    readKind(setSumsFunction, { set: "set", stale: "stale" }),
  )

const nameFunction = luaFunction("customers.name", { keys: ["charge", "lookup", "customers"] })

/** A charge that names no customer, as it was read, and whom it is to name. */
interface NamedCharge {
  readonly id: string
  readonly version: string
  readonly document: string
  readonly digest: string
}

/** Lets a charge name its customer, and adds it to the sums: `named`, or refused as `stale` where it has changed or names one. */
export const nameCustomer =
  (client: Client) =>
  (feed: Feed, { document, ...charge }: NamedCharge) =>
    Effect.flatMap(
      callFunction(
        client,
        nameFunction,
        {
          charge: keys.keyWithin(keys.tagOf(feed.sellerId), keys.transactionKey(charge.id)),
          lookup: keys.lookupKey(feed),
          customers: keys.customersKey(feed),
        },
        { ...charge, ...sumsIn(document) },
      ),
      readKind(nameFunction, { named: "named", stale: "stale" }),
    )

/** Customers on Redis. */
export const CustomerStoreLive = Layer.effect(
  CustomerStore,
  Effect.map(RedisClient, (client) => CustomerStore.of({ read: read(client), merge: merge(client) })),
)
