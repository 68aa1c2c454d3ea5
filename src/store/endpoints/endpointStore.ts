import { Effect, Layer } from "effect"
import { type EndpointScope, EndpointStore } from "../../../actors/ports/endpointStore.ts"
import * as keys from "../keys.ts"
import { RedisClient } from "../redis/redisClient.ts"
import { StoreOptions } from "../storeOptions.ts"
import { countAttempts } from "./attemptCounts.ts"
import { deleteEndpoint } from "./deleteEndpoint.ts"
import { pingEndpoint } from "./pingEndpoint.ts"
import { makeRecovery } from "./recovery.ts"
import { rotateEndpointSecret } from "./rotateEndpointSecret.ts"
import { shownFields, updateEndpoint } from "./updateEndpoint.ts"
import { waitingEvents } from "./waitingEvents.ts"

const millisOf = (text: string | undefined): number | undefined => (text ? Number(text) : undefined)

/** Webhook endpoints on Redis. */
export const EndpointStoreLive = Layer.effect(
  EndpointStore,
  Effect.gen(function* () {
    const client = yield* RedisClient
    const options = yield* StoreOptions

    const get = Effect.fnUntraced(function* ({ feed, endpointId }: EndpointScope) {
      const [score, values] = yield* client.callAll([
        ["ZSCORE", [keys.endpointsKey(feed), endpointId]],
        ["HGETALL", [keys.destinationKey(endpointId)]],
      ])
      return score === null ? undefined : shownFields(endpointId, values as ReadonlyArray<string>)
    })

    const { recover, recoverMissed } = makeRecovery(client, options)

    return EndpointStore.of({
      get,
      update: updateEndpoint(client),
      delete: deleteEndpoint(client, options),
      rotateSecret: rotateEndpointSecret(client),
      ping: pingEndpoint(client, options),
      stats: Effect.fnUntraced(function* (scope) {
        const fields = yield* get(scope)
        if (fields === undefined) return undefined
        const { last_ping_at, last_ping_ok } = fields
        return {
          ...(yield* countAttempts(client, scope.endpointId)),
          lastPingAtMillis: millisOf(last_ping_at),
          lastPingSucceeded: last_ping_ok === undefined ? undefined : last_ping_ok === "1",
        }
      }),
      waiting: waitingEvents(client),
      recover,
      recoverMissed,
    })
  }),
)
