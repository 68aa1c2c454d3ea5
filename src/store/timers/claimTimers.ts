import { Effect } from "effect"
import type { ClaimedTimer } from "../../../actors/ports/timerQueue.ts"
import { limits } from "../../../schema/limits.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { dueIn, words } from "../redis/reply.ts"
import { chargeFields, readTransaction } from "../transactions/transactionHash.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["timers"],
  args: ["timers_max", "lease_millis", "transaction_prefix", "clock_prefix"],
})

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

/** Leases up to `timersMax` due timers of a partition; also answers when the next one is due. */
export const claimTimers = (client: RedisClient["Service"]) => (partition: number, timersMax: number) => {
  const tag = keys.partitionTag(partition)
  const call = callFunction(
    client,
    declaration,
    { timers: keys.timersKey(tag) },
    {
      timers_max: timersMax,
      lease_millis: limits.timerLeaseMillis,
      transaction_prefix: keys.transactionPrefix(tag),
      clock_prefix: keys.clockPrefix(tag),
    },
  )
  return Effect.map(call, (reply) => {
    const values = words(reply)
    const due: Array<ClaimedTimer> = []
    for (let at = headerLength; at < values.length; at += timerLength) {
      due.push(readTimer(values.slice(at, at + timerLength), Number(values[1])))
    }
    return { due, nextInMillis: dueIn(values[0]) }
  })
}
