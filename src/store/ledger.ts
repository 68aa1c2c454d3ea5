import { Clock, Effect, Layer } from "effect"
import {
  Ledger,
  type LedgerPage,
  type LedgerSpan,
  type Posting,
  type ReleaseDay,
  type Releases,
  type StoredLedgerEntry,
} from "../../actors/ports/ledger.ts"
import { type LedgerBase, noBase } from "../../actors/values/ledgerBase.ts"
import type { Principal } from "../../actors/values/principal.ts"
import type { Feed } from "../../schema/ids.ts"
import { type Bucket, buckets, type LedgerKind, ledgerResourceTypes } from "../../schema/resources/ledger.ts"
import { readDated } from "./clockSteps.ts"
import { entryWindow } from "./events.ts"
import * as keys from "./keys.ts"
import { callFunction } from "./redis/functionLibrary.ts"
import { luaFunction } from "./redis/luaFunction.ts"
import { RedisClient, type RedisCommand, type Reply } from "./redis/redisClient.ts"
import { readHash, words } from "./redis/reply.ts"
import { apiKeyCheck, isKeyValid } from "./requests.ts"

/** `available:-100 pending_withdraw:100`, as ledger.lua writes it. */
const readPostings = (text: string | undefined): ReadonlyArray<Posting> =>
  (text ?? "").split(" ").map((posting) => {
    const [bucket, amount] = posting.split(":")
    return { bucket: bucket as Bucket, amount: Number(amount) }
  })

const amountIn = (postings: ReadonlyArray<Posting>, bucket: Bucket): number =>
  postings.find((posting) => posting.bucket === bucket)?.amount ?? 0

/** Reads XRANGE's reply; ledger.lua fixes the order of an entry's fields. */
export const readLedgerEntries = (reply: Reply | undefined): ReadonlyArray<StoredLedgerEntry> =>
  ((reply ?? []) as ReadonlyArray<readonly [string, ReadonlyArray<string>]>).map(([entryId, values]) => {
    const left = readPostings(values[13])
    return {
      entryId,
      seq: Number(values[1]),
      kind: values[3] as LedgerKind,
      resourceType: ledgerResourceTypes.find((type) => type === values[5]) ?? "transaction",
      resourceId: values[7] ?? "",
      eventEntryId: values[9] === "" ? undefined : values[9],
      postings: readPostings(values[11]),
      balance: {
        available: amountIn(left, "available"),
        reserve: amountIn(left, "reserve"),
        pendingWithdraw: amountIn(left, "pending_withdraw"),
        pendingRefund: amountIn(left, "pending_refund"),
      },
    }
  })

const hashOf = (resourceId: string): string => {
  if (resourceId.startsWith("wd_")) return keys.withdrawalKey(resourceId)
  return resourceId.startsWith("rfd_") ? keys.refundKey(resourceId) : keys.transactionKey(resourceId)
}

/** One function appends an event and its movement; Redis before 7.2 may tick in between. */
const tickMillis = 10
const entriesInTickMax = 500

/** The range in which the movement of an event lies. */
const rangeOf = (eventId: string): readonly [number, number] => {
  const millis = Number(eventId.split("-")[0])
  return [millis, millis + tickMillis]
}

const ofResources = (client: RedisClient["Service"]) =>
  Effect.fnUntraced(function* (principal: Principal, resourceIds: ReadonlyArray<string>) {
    const [check, ...records] = yield* client.callAll([
      apiKeyCheck(principal),
      ...resourceIds.map((id) => ["HMGET", [hashOf(id), "seller", "mode", "events", "release"]] as const),
    ])
    if (!isKeyValid(principal, check, yield* Clock.currentTimeMillis)) return { kind: "keyInvalid" } as const
    const eventIds = (records as ReadonlyArray<ReadonlyArray<string | null>>).flatMap(
      ([seller, mode, events, release]) =>
        seller === principal.sellerId && mode === principal.mode
          ? [...(events ?? "").split(" "), release ?? ""].filter((id) => id !== "")
          : [],
    )
    const commands = eventIds.map(
      (id) => ["XRANGE", [keys.ledgerKey(principal), ...rangeOf(id), "COUNT", entriesInTickMax]] as const,
    )
    const { entries } = yield* readDated(client, principal, commands, (replies) =>
      replies.slice(0, commands.length).flatMap(readLedgerEntries),
    )
    const found = entries.filter((entry) => resourceIds.includes(entry.resourceId))
    const byId = new Map(found.map((entry) => [entry.entryId, entry]))
    return [...byId.values()].toSorted((one, other) => other.seq - one.seq)
  })

/** The fields of a base's hash besides `entry`, under the names of the balance. */
export const baseFields = (base: LedgerBase): ReadonlyArray<readonly [name: string, value: number]> => [
  ...buckets.map((bucket) => [bucket, base.amounts[bucket]] as const),
  ["entries", base.entries],
  ["credits", base.credits],
  ["debits", base.debits],
  ["reserve_entries", base.reserveEntries],
  ["withdrawal_entries", base.withdrawalEntries],
]

/** Reads the hash of a ledger's base; without `entry` nothing was deleted. */
export const readBase = (hash: Readonly<Record<string, string>>): LedgerBase => {
  const { entry = "" } = hash
  if (entry === "") return noBase
  const count = (name: string) => Number(hash[name] ?? 0)
  return {
    entryId: entry,
    amounts: Object.fromEntries(buckets.map((bucket) => [bucket, count(bucket)])) as Record<Bucket, number>,
    entries: count("entries"),
    credits: count("credits"),
    debits: count("debits"),
    reserveEntries: count("reserve_entries"),
    withdrawalEntries: count("withdrawal_entries"),
  }
}

const releasesFunction = luaFunction("ledger.releases", { keys: ["balance", "releases"], isReadOnly: true })

/** The days of a calendar's hash, in order; past ones too. */
export const readReleaseDays = (hash: Readonly<Record<string, string>>): ReadonlyArray<ReleaseDay> =>
  Object.keys(hash)
    .filter((name) => name !== "held" && !name.endsWith(":charges"))
    .toSorted()
    .map((day) => ({ day, amount: Number(hash[day]), charges: Number(hash[`${day}:charges`] ?? 0) }))

/** Reads `reserve` of the balance, and the calendar's hash, in one step. */
export const readReleaseHash = (client: RedisClient["Service"], feed: Feed) =>
  Effect.map(
    callFunction(client, releasesFunction, {
      balance: keys.balanceKey(feed),
      releases: keys.releasesKey(feed),
    }),
    (reply) => {
      const [reserve = "0", ...fields] = words(reply)
      return { reserve, hash: readHash(fields) }
    },
  )

/** Ledgers on Redis Streams. */
export const LedgerLive = Layer.effect(
  Ledger,
  Effect.gen(function* () {
    const client = yield* RedisClient

    const balance = Effect.fnUntraced(function* (principal: Principal) {
      const [check, amounts] = yield* client.callAll([
        apiKeyCheck(principal),
        ["HMGET", [keys.balanceKey(principal), "available", "reserve", "pending_withdraw", "pending_refund"]],
      ])
      if (!isKeyValid(principal, check, yield* Clock.currentTimeMillis)) {
        return { kind: "keyInvalid" } as const
      }
      const [available, reserve, pendingWithdraw, pendingRefund] = (
        amounts as ReadonlyArray<string | null>
      ).map(Number)
      return {
        available: available ?? 0,
        reserve: reserve ?? 0,
        pendingWithdraw: pendingWithdraw ?? 0,
        pendingRefund: pendingRefund ?? 0,
      }
    })

    const releases = Effect.fnUntraced(function* (principal: Principal) {
      const [check] = yield* client.callAll([apiKeyCheck(principal)])
      if (!isKeyValid(principal, check, yield* Clock.currentTimeMillis)) {
        return { kind: "keyInvalid" } as const
      }
      const { reserve, hash } = yield* readReleaseHash(client, principal)
      const isKnown = (hash.held ?? "0") === reserve
      const found: Releases = {
        reserve: Number(reserve),
        days: isKnown ? readReleaseDays(hash) : undefined,
      }
      return found
    })

    /** Reads entries, and checks the key in the same round trip. */
    const readChecked = Effect.fnUntraced(function* (principal: Principal, command: RedisCommand) {
      const commands = [apiKeyCheck(principal), command]
      const { entries, replies } = yield* readDated(client, principal, commands, ([, found]) =>
        readLedgerEntries(found),
      )
      if (!isKeyValid(principal, replies[0], yield* Clock.currentTimeMillis)) {
        return { kind: "keyInvalid" } as const
      }
      return entries
    })

    const list = Effect.fnUntraced(function* (principal: Principal, page: LedgerPage) {
      return yield* readChecked(principal, [
        "XREVRANGE",
        [keys.ledgerKey(principal), ...entryWindow(page), "COUNT", page.limit],
      ])
    })

    const readSpan = Effect.fnUntraced(function* (principal: Principal, span: LedgerSpan) {
      const { afterEntryId, fromMillis, toMillis, entriesMax } = span
      const oldest = afterEntryId === undefined ? fromMillis : `(${afterEntryId}`
      return yield* readChecked(principal, [
        "XRANGE",
        [keys.ledgerKey(principal), oldest, toMillis, "COUNT", entriesMax],
      ])
    })

    return Ledger.of({
      balance,
      releases,
      available: (feed) =>
        Effect.map(client.call("HGET", [keys.balanceKey(feed), "available"]), (amount) =>
          Number(amount ?? 0),
        ),
      list,
      ofResources: ofResources(client),
      readSpan,
      readAfter: (feed, afterEntryId, entriesMax) =>
        Effect.map(
          client.call("XRANGE", [
            keys.ledgerKey(feed),
            afterEntryId === "0" ? "-" : `(${afterEntryId}`,
            "+",
            "COUNT",
            entriesMax,
          ]),
          readLedgerEntries,
        ),
    })
  }),
)
