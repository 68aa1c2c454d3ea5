import { Effect } from "effect"
import { destinationIdOfPostback } from "../../../actors/delivery/destinationId.ts"
import type { TransitionCommit } from "../../../actors/ports/transactionStore.ts"
import { eventTypeOf } from "../../../schema/events.ts"
import * as keys from "../keys.ts"
import { movementArguments } from "../ledger/movement.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"
import type { StoreOptions } from "../storeOptions.ts"

/** KEYS and ARGV of functions/transition_transaction.lua. */
export const transitionParameters = (
  commit: TransitionCommit,
  retentionMillis: number,
): { readonly keys: ReadonlyArray<string>; readonly args: ReadonlyArray<string | number> } => {
  const { sellerId, mode, transactionId } = commit
  const tag = keys.tagOf(sellerId)
  const feed = { sellerId, mode }
  const transaction = keys.keyWithin(tag, keys.transactionKey(transactionId))
  const postbackId =
    commit.postback === undefined ? "" : destinationIdOfPostback(sellerId, mode, commit.postback.url)
  return {
    keys: [
      transaction,
      keys.transactionsKey(sellerId, mode, commit.from),
      keys.transactionsKey(sellerId, mode, commit.to),
      keys.eventsKey(feed),
      keys.feedKey(feed),
      keys.subscriptionsKey(feed),
      keys.timersKey(tag),
      keys.dueKey(tag),
      postbackId === "" ? transaction : keys.destinationKey(postbackId),
      keys.postbacksKey(feed),
      keys.balanceKey(feed),
      keys.ledgerKey(feed),
    ],
    args: [
      transactionId,
      commit.expectedVersion,
      commit.from,
      commit.to,
      commit.document,
      commit.eventType ?? "",
      commit.eventType !== undefined && eventTypeOf(commit.eventType)?.internal === true ? "1" : "0",
      retentionMillis,
      keys.feedChannel(feed),
      keys.wakeChannel(tag),
      keys.queuePrefix(tag),
      postbackId,
      commit.postback?.url ?? "",
      sellerId,
      mode,
      commit.timers.length,
      commit.timersDone.length,
      ...movementArguments(commit.movement),
      ...commit.timers.flatMap((timer) => [timer.name, timer.dueMillis]),
      ...commit.timersDone,
    ],
  }
}

/** functions/transition_transaction.lua */
export const transitionTransaction =
  (client: RedisClient["Service"], options: StoreOptions["Service"]) => (commit: TransitionCommit) => {
    const parameters = transitionParameters(commit, options.retentionMillis)
    return Effect.flatMap(
      callFunction(client, "transition_transaction", parameters.keys, parameters.args),
      readKind("transition_transaction", kinds),
    )
  }

const kinds = { applied: "applied", stale: "stale", missing: "missing", overflow: "overflow" } as const
