import { Effect } from "effect"
import * as keys from "./keys.ts"
import type { RedisClient, RedisCommand } from "./redis/redisClient.ts"
import { readHash, words } from "./redis/reply.ts"

type Client = RedisClient["Service"]

/** A process that was heard of within the last minute. */
export interface ProcessState {
  readonly id: string
  readonly lastHeartbeatMillis: number
  readonly partitions: number
  readonly streams: number
}

/** How much of a queue is due, over all partitions. */
export interface QueueState {
  readonly due: number
  readonly oldestSeconds: number
}

const tagsOf = (partitions: number): ReadonlyArray<string> =>
  Array.from({ length: partitions }, (_, partition) => keys.partitionTag(partition))

/** Reads how much of a queue is due. */
export const readQueue = Effect.fnUntraced(function* (
  client: Client,
  partitions: number,
  keyOf: (tag: string) => string,
  nowMillis: number,
) {
  const replies = yield* client.callAll(
    tagsOf(partitions).flatMap(
      (tag): ReadonlyArray<RedisCommand> => [
        ["ZCOUNT", [keyOf(tag), "-inf", nowMillis]],
        ["ZRANGE", [keyOf(tag), 0, 0, "WITHSCORES"]],
      ],
    ),
  )
  let due = 0
  let oldestMillis = nowMillis
  for (const reply of replies) {
    if (!Array.isArray(reply)) due += Number(reply)
    else if (reply.length > 0) oldestMillis = Math.min(oldestMillis, Number(reply[1]))
  }
  return { due, oldestSeconds: (nowMillis - oldestMillis) / 1_000 } satisfies QueueState
})

/** Reads which processes there are, and what each holds and has reported. */
export const readProcesses = Effect.fnUntraced(function* (client: Client, partitions: number) {
  const [beats, reported, ...owners] = yield* client.callAll([
    ["ZRANGE", [keys.processesKey, 0, -1, "WITHSCORES"]],
    ["HGETALL", [keys.processStreamsKey]],
    ...Array.from(
      { length: partitions },
      (_, partition): RedisCommand => ["GET", [keys.ownerKey(partition)]],
    ),
  ])
  const heartbeats = words(beats ?? [])
  const streams = readHash(reported)
  const held = owners.flatMap((owner) => (owner === null ? [] : [String(owner)]))
  const processes = heartbeats.flatMap((id, i): ReadonlyArray<ProcessState> => {
    if (i % 2 === 1) return []
    const lastHeartbeatMillis = Number(heartbeats[i + 1])
    const partitions = held.filter((owner) => owner === id).length
    return [{ id, lastHeartbeatMillis, partitions, streams: Number(streams[id] ?? 0) }]
  })
  return { processes, held: held.length }
})

/** How many live withdrawals are approved and wait to be handed over. */
export const countWaitingPayouts = (client: Client, partitions: number) =>
  Effect.map(
    client.callAll(
      tagsOf(partitions).map(
        (tag): RedisCommand => ["ZCARD", [keys.partitionWithdrawalsKey(tag, "live", "approved")]],
      ),
    ),
    (counts) => counts.reduce((sum: number, count) => sum + Number(count), 0),
  )
