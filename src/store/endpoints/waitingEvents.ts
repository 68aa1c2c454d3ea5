import { Effect } from "effect"
import type { EndpointStore, WaitingEvent } from "../../../actors/ports/endpointStore.ts"
import { goneEventType } from "../../../actors/values/goneEvent.ts"
import { readEntries } from "../events/eventLog.ts"
import * as keys from "../keys.ts"
import type { RedisClient } from "../redis/redisClient.ts"

/** A member of the sorted set, which `waiting_member` of redis/prelude.lua makes. */
const readMember = (member: string) => {
  const [resourceId = "", , entryId = ""] = member.split(" ")
  return { resourceId, entryId }
}

/** A page of the events that wait for their resource's turn; undefined if the endpoint is missing. */
export const waitingEvents = (client: RedisClient["Service"]): EndpointStore["Service"]["waiting"] =>
  Effect.fnUntraced(function* ({ feed, endpointId }, { afterPosition, limit }) {
    const after = afterPosition === undefined ? "-" : `(${afterPosition}`
    const [score, members] = yield* client.callAll([
      ["ZSCORE", [keys.endpointsKey(feed), endpointId]],
      ["ZRANGE", [keys.waitingKey(endpointId), after, "+", "BYLEX", "LIMIT", 0, limit + 1]],
    ])
    if (score === null) return undefined
    const found = members as ReadonlyArray<string>
    const waiting = found.slice(0, limit).map(readMember)
    const replies = yield* client.callAll(
      waiting.flatMap(({ resourceId, entryId }) => [
        ["HGET", [keys.turnsKey(endpointId), resourceId]] as const,
        ["XRANGE", [keys.eventsKey(feed), entryId, entryId]] as const,
      ]),
    )
    const events = waiting.flatMap((event, i): ReadonlyArray<WaitingEvent> => {
      const turn = replies[2 * i]
      const type = readEntries(replies[2 * i + 1])[0]?.type ?? goneEventType
      // The others' turn came between the two reads.
      return typeof turn === "string" && turn !== event.entryId ? [{ ...event, type, turnEntryId: turn }] : []
    })
    return { events, nextAfterPosition: found.length > limit ? found[limit - 1] : undefined }
  })
