import { Effect, Layer, Schema } from "effect"
import {
  type AcceptedItem,
  type SweepLease,
  type SweepState,
  SweepStore,
  type UnconfirmedItem,
  type UnreadItem,
} from "../../actors/ports/sweepStore.ts"
import { keyOfItem, ListedItem } from "../../actors/values/listedItem.ts"
import { storedReader } from "../../actors/values/storedDocuments.ts"
import { limits } from "../../schema/limits.ts"
import * as keys from "./keys.ts"
import { callFunction, unexpectedReply } from "./redis/functionLibrary.ts"
import { luaFunction } from "./redis/luaFunction.ts"
import { RedisClient } from "./redis/redisClient.ts"
import { readKind, words } from "./redis/reply.ts"

type Client = RedisClient["Service"]

const claimFunction = luaFunction("sweeps.claim", { keys: ["sweep", "accounts"] })

/** Takes or renews the lease on an account's sweeps, for that long in ms; undefined while another process holds it. */
const claim = (client: Client) => (account: string, holder: string, leaseMillis: number) =>
  Effect.flatMap(
    callFunction(
      client,
      claimFunction,
      { sweep: keys.sweepKey(account), accounts: keys.sweepAccountsKey },
      { account, holder, leaseMillis },
    ),
    (reply) => {
      const [kind, fence] = words(reply)
      if (kind === "claimed") return Effect.succeed({ account, fence: Number(fence) })
      return kind === "held" ? Effect.succeed(undefined) : Effect.fail(unexpectedReply(claimFunction, reply))
    },
  )

const completeFunction = luaFunction("sweeps.complete", { keys: ["sweep"] })

/** A complete sweep; times are ms of Redis' clock. */
interface CompleteSweep {
  readonly beganMillis: number
  readonly toMillis: number
  readonly isLong: boolean
}

/** Records a complete sweep: `applied`, or refused as `stale` if another process has taken the lease since. */
const complete =
  (client: Client) =>
  ({ account, fence }: SweepLease, { beganMillis, toMillis, isLong }: CompleteSweep) =>
    Effect.flatMap(
      callFunction(
        client,
        completeFunction,
        { sweep: keys.sweepKey(account) },
        { fence, beganMillis, toMillis, isLong },
      ),
      readKind(completeFunction, { applied: "applied", stale: "stale" }),
    )

const readFunction = luaFunction("sweeps.read", { keys: ["sweep"] })

/** Reads the sweeps of an account and Redis' clock; times in ms. */
const read = (client: Client, account: string) =>
  Effect.map(callFunction(client, readFunction, { sweep: keys.sweepKey(account) }), (reply) => {
    const [now = 0, began = 0, completedTo = 0, longBegan = 0, wanted = 0, unread = 0] =
      words(reply).map(Number)
    const state: SweepState = {
      beganMillis: began,
      completedToMillis: completedTo,
      longBeganMillis: longBegan,
      wantedMillis: wanted,
      unreadableCount: unread,
    }
    return { nowMillis: now, state }
  })

const requestFunction = luaFunction("sweeps.request", { keys: ["sweep"] })

/** Asks for a sweep of an account that begins after now. */
const request = (client: Client) => (account: string) =>
  Effect.asVoid(callFunction(client, requestFunction, { sweep: keys.sweepKey(account) }))

/** The JSON of an item, and of why it was accepted; what is undefined is absent. */
const textOfItem = (
  { list, window, page, position, digest, endToEndId, payoutId, txid, problem }: UnreadItem,
  reason?: string,
): string =>
  JSON.stringify({ list, window, page, position, digest, endToEndId, payoutId, txid, problem, reason })

const parseItem = storedReader(
  "unread item",
  Schema.Struct({
    list: Schema.Literals(["received", "sent"]),
    window: Schema.Struct({ fromMillis: Schema.Number, toMillis: Schema.Number }),
    page: Schema.optionalKey(Schema.String),
    position: Schema.Number,
    digest: Schema.String,
    endToEndId: Schema.optionalKey(Schema.String),
    payoutId: Schema.optionalKey(Schema.String),
    txid: Schema.optionalKey(Schema.String),
    problem: Schema.String,
    reason: Schema.optionalKey(Schema.String),
  }),
)

/** Reads {@link textOfItem}. */
const itemOfText = (text: string): UnreadItem => {
  const { reason: _, page, endToEndId, payoutId, txid, ...item } = parseItem(text)
  return { ...item, page, endToEndId, payoutId, txid }
}

/** Reads an accepted item: when, in ms, a space, and {@link textOfItem}. */
const acceptedOfText = (text: string): AcceptedItem => {
  const begin = text.indexOf(" ") + 1
  const json = text.slice(begin)
  const { reason = "" } = parseItem(json)
  return { ...itemOfText(json), acceptedMillis: Number(text.slice(0, begin)), reason }
}

const unreadKeyNames = ["sweep", "unread", "accepted"] as const

const unreadKeys = (account: string) => ({
  sweep: keys.sweepKey(account),
  unread: keys.unreadKey(account),
  accepted: keys.acceptedKey(account),
})

const recordUnreadFunction = luaFunction("sweeps.record_unread", { keys: unreadKeyNames })

const recordedOf = (kind: string | undefined, openCount: number) => {
  if (kind === "applied") return { kind, openCount } as const
  return kind === "stale" ? ({ kind } as const) : undefined
}

/** Records what a sweep could not read: how much of it is open, or `stale` if another process has taken the lease since. */
const recordUnread =
  (client: Client) =>
  (
    { account, fence }: SweepLease,
    { items, more }: { readonly items: ReadonlyArray<UnreadItem>; readonly more: number },
  ) =>
    Effect.flatMap(
      callFunction(client, recordUnreadFunction, unreadKeys(account), {
        fence,
        rememberedMax: limits.sweepUnreadableMax,
        more,
        items: items.map((item) => ({ digest: item.digest, text: textOfItem(item) })),
      }),
      (reply) => {
        const [kind, openCount] = words(reply)
        const recorded = recordedOf(kind, Number(openCount))
        return recorded === undefined
          ? Effect.fail(unexpectedReply(recordUnreadFunction, reply))
          : Effect.succeed(recorded)
      },
    )

const acceptFunction = luaFunction("sweeps.accept_unread", { keys: unreadKeyNames })

/** Lets sweeps pass over an item: `applied`, or `unknown` where it is not open, `full` where too many are accepted. */
const accept = (client: Client) => (account: string, item: UnreadItem, reason: string) =>
  Effect.flatMap(
    callFunction(client, acceptFunction, unreadKeys(account), {
      digest: item.digest,
      text: textOfItem(item, reason),
      keptMillis: limits.sweepAcceptedMillis,
      acceptedMax: limits.sweepAcceptedMax,
    }),
    readKind(acceptFunction, { applied: "applied", full: "full", unknown: "unknown" }),
  )

const parseUnconfirmed = storedReader(
  "unconfirmed item",
  Schema.Struct({ item: ListedItem, sinceMillis: Schema.Number, sweeps: Schema.Number }),
)

const keepUnconfirmedFunction = luaFunction("sweeps.keep_unconfirmed", { keys: ["unconfirmed"] })

/** Remembers the items of an account's lists that no query confirms, in place of those that a sweep began with. */
const keepUnconfirmed =
  (client: Client) =>
  (account: string, items: ReadonlyArray<UnconfirmedItem>, before: ReadonlyArray<UnconfirmedItem>) =>
    Effect.asVoid(
      Effect.flatMap(
        callFunction(
          client,
          keepUnconfirmedFunction,
          { unconfirmed: keys.unconfirmedKey(account) },
          {
            before: before.map(({ item }) => keyOfItem(item)),
            items: items.map((one) => ({ key: keyOfItem(one.item), text: JSON.stringify(one) })),
          },
        ),
        readKind(keepUnconfirmedFunction, { applied: "applied" }),
      ),
    )

/** Adds an item for the next sweep to follow. */
const noteUnconfirmed = (client: Client) => (account: string, entry: UnconfirmedItem) =>
  Effect.asVoid(
    client.call("HSET", [keys.unconfirmedKey(account), keyOfItem(entry.item), JSON.stringify(entry)]),
  )

/** Sweeps on Redis. */
export const SweepStoreLive = Layer.effect(
  SweepStore,
  Effect.map(RedisClient, (client) => {
    const values = (key: string) => Effect.map(client.call("HVALS", [key]), words)
    return SweepStore.of({
      load: (account) => Effect.map(read(client, account), ({ state }) => state),
      // The clock is the same for every account; none is called "".
      now: Effect.map(read(client, ""), ({ nowMillis }) => nowMillis),
      request: request(client),
      claim: claim(client),
      complete: complete(client),
      accounts: Effect.map(client.call("SMEMBERS", [keys.sweepAccountsKey]), (reply) =>
        words(reply).toSorted(),
      ),
      recordUnread: recordUnread(client),
      unconfirmed: (account) =>
        Effect.map(values(keys.unconfirmedKey(account)), (texts) => texts.map(parseUnconfirmed)),
      keepUnconfirmed: keepUnconfirmed(client),
      noteUnconfirmed: noteUnconfirmed(client),
      unread: (account) =>
        Effect.all({
          open: Effect.map(values(keys.unreadKey(account)), (texts) => texts.map(itemOfText)),
          accepted: Effect.map(values(keys.acceptedKey(account)), (texts) => texts.map(acceptedOfText)),
        }),
      accept: accept(client),
    })
  }),
)
