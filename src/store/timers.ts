import { Effect, Layer } from "effect"
import {
  type ClaimedTimer,
  type DueTimer,
  TimerQueue,
  type TimerToDrop,
} from "../../actors/ports/timerQueue.ts"
import { limits } from "../../schema/limits.ts"
import { chargeFields, readTransaction } from "./charges.ts"
import * as keys from "./keys.ts"
import { callFunction } from "./redis/functionLibrary.ts"
import { luaFunction } from "./redis/luaFunction.ts"
import { RedisClient } from "./redis/redisClient.ts"
import { dueIn, words } from "./redis/reply.ts"

type Client = RedisClient["Service"]

/** How many values of the reply come before the timers, and how many each timer has. */
const headerLength = 2
const timerLength = 2 + chargeFields.length

const readTimer = (values: ReadonlyArray<string>, leaseEndMillis: number): ClaimedTimer => {
  const [member = "", ...rest] = values
  const colon = member.indexOf(":")
  const resourceId = member.slice(0, colon)
  const transaction = readTransaction(resourceId, rest)
  return {
    resourceId,
    name: member.slice(colon + 1),
    leaseEndMillis,
    charge:
      transaction === undefined
        ? undefined
        : { transaction, offsetMillis: transaction.mode === "test" ? Number(values.at(-1)) : 0 },
  }
}

const claimFunction = luaFunction("timers.claim", { keys: ["timers"] })

/** Leases up to `timersMax` due timers of a partition; also answers when the next one is due. */
const claim = (client: Client) => (partition: number, timersMax: number) =>
  Effect.map(
    callFunction(
      client,
      claimFunction,
      { timers: keys.timersKey(keys.partitionTag(partition)) },
      { timersMax, leaseMillis: limits.timerLeaseMillis },
    ),
    (reply) => {
      const values = words(reply)
      const due: Array<ClaimedTimer> = []
      for (let at = headerLength; at < values.length; at += timerLength) {
        due.push(readTimer(values.slice(at, at + timerLength), Number(values[1])))
      }
      return { due, nextInMillis: dueIn(values[0]) }
    },
  )

const dropFunction = luaFunction("timers.drop", { keys: ["timers"] })

/** Drops a timer, unless it was claimed or set again since. */
const drop =
  (client: Client) =>
  ({ resourceId, name, leaseEndMillis }: TimerToDrop) =>
    Effect.asVoid(
      callFunction(
        client,
        dropFunction,
        { timers: keys.timersKey(keys.tagOf(resourceId)) },
        { member: `${resourceId}:${name}`, leaseEndMillis },
      ),
    )

const postponeFunction = luaFunction("timers.postpone", { keys: ["timers"] })

/** Makes a leased timer fire again later; undefined if it was claimed or set again since. */
const postpone = (client: Client) => (timer: DueTimer, delayMillis: number) => {
  const { resourceId, name, leaseEndMillis } = timer
  const call = callFunction(
    client,
    postponeFunction,
    { timers: keys.timersKey(keys.tagOf(resourceId)) },
    { member: `${resourceId}:${name}`, leaseEndMillis, delayMillis },
  )
  return Effect.map(call, (reply): DueTimer | undefined => {
    const dueMillis = Number(words(reply)[0])
    return dueMillis > 0 ? { ...timer, leaseEndMillis: dueMillis } : undefined
  })
}

const shiftFunction = luaFunction("timers.shift", { keys: ["timers"] })

/** Makes timers of a seller's partition due earlier; `members` are `<resource id>:<name>`. */
export const shiftTimers =
  (client: Client) => (sellerId: string, millis: number, members: ReadonlyArray<string>) =>
    callFunction(client, shiftFunction, { timers: keys.timersKey(keys.tagOf(sellerId)) }, { millis, members })

/** Timers on Redis. */
export const TimerQueueLive = Layer.effect(
  TimerQueue,
  Effect.map(RedisClient, (client) =>
    TimerQueue.of({ claim: claim(client), drop: drop(client), postpone: postpone(client) }),
  ),
)
