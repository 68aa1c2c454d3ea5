import { Effect } from "effect"
import { isWithdrawalEnded } from "../../../actors/seller/decisions/endedResources.ts"
import { limits } from "../../../schema/limits.ts"
import type { WithdrawalStatus } from "../../../schema/resources/withdrawal.ts"
import * as keys from "../keys.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import type { EndedWithdrawal } from "./deleteTestWithdrawal.ts"
import { beginningMillis, entriesOf, millisOf, newestOf, readOldestIds } from "./entryTimes.ts"

/**
 * Reads a page of a seller's test withdrawals, oldest first: those that have ended and changed last before `beforeMillis`, without
 * those in `keptIds`. `nextAfterId` undefined: no other withdrawal can be that old.
 */
export const endedWithdrawals = Effect.fnUntraced(function* (
  client: RedisClient["Service"],
  sellerId: string,
  afterId: string,
  beforeMillis: number,
  keptIds: ReadonlySet<string>,
) {
  const ids = yield* readOldestIds(client, keys.withdrawalsKey(sellerId, "test"), afterId)
  const replies = yield* client.callAll(
    ids.map((id) => ["HMGET", [keys.withdrawalKey(id), "status", "version", "events"]] as const),
  )
  const found = ids.flatMap((id, i) => {
    const [status, version, events] = (replies[i] ?? []) as ReadonlyArray<string | null>
    return status && version && events ? [{ id, status, version, events: entriesOf(events) }] : []
  })
  const old = found.filter(({ events }) => beginningMillis(events) < beforeMillis)
  const ended = old
    .filter(({ id, status }) => !keptIds.has(id) && isWithdrawalEnded({ status: status as WithdrawalStatus }))
    .map(({ id, status, version, events }): EndedWithdrawal => {
      const newestEvent = newestOf(events)
      return { id, status, version, newestEvent, changedMillis: millisOf(newestEvent) }
    })
  const isLast = ids.length < limits.trimmedTestResourcesMax || old.length < found.length
  return {
    ended: ended.filter(({ changedMillis }) => changedMillis < beforeMillis),
    nextAfterId: isLast ? undefined : ids.at(-1),
  }
})
