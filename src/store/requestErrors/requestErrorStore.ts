import { Clock, Effect, Layer } from "effect"
import { RequestErrorStore, type StoredRequestError } from "../../../actors/ports/requestErrorStore.ts"
import { limits } from "../../../schema/limits.ts"
import * as keys from "../keys.ts"
import { RedisClient } from "../redis/redisClient.ts"
import { noteRequestErrors } from "./noteRequestErrors.ts"

/** Refused requests on Redis. */
export const RequestErrorStoreLive = Layer.effect(
  RequestErrorStore,
  Effect.map(RedisClient, (client) =>
    RequestErrorStore.of({
      note: noteRequestErrors(client),
      list: Effect.fnUntraced(function* (feed) {
        const reply = yield* client.call("XREVRANGE", [keys.requestErrorsKey(feed), "+", "-"])
        const since = (yield* Clock.currentTimeMillis) - limits.requestErrorsKeptMillis
        const entries = (reply ?? []) as ReadonlyArray<readonly [string, ReadonlyArray<string>]>
        return entries
          .map(([, [, text = ""]]) => JSON.parse(text) as StoredRequestError)
          .filter(({ atMillis }) => atMillis > since)
          .toSorted((one, other) => other.atMillis - one.atMillis)
      }),
    }),
  ),
)
