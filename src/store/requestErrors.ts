import { Clock, Effect, Layer, Schema } from "effect"
import { RequestErrorStore, type StoredRequestError } from "../../actors/ports/requestErrorStore.ts"
import { storedReader } from "../../actors/values/storedDocuments.ts"
import type { Feed } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import * as keys from "./keys.ts"
import { callFunction } from "./redis/functionLibrary.ts"
import { luaFunction } from "./redis/luaFunction.ts"
import { RedisClient } from "./redis/redisClient.ts"

type Client = RedisClient["Service"]

const parseError = storedReader(
  "request error",
  Schema.Struct({
    atMillis: Schema.Number,
    requestId: Schema.String,
    method: Schema.String,
    route: Schema.String,
    status: Schema.Number,
    code: Schema.String,
    param: Schema.optionalKey(Schema.String),
    message: Schema.String,
    apiKeyId: Schema.optionalKey(Schema.String),
  }),
)

const errorOf = (text: string): StoredRequestError => {
  const { param, apiKeyId, ...error } = parseError(text)
  return { ...error, param, apiKeyId }
}

const noteFunction = luaFunction("request_errors.note", { keys: ["errors"] })

/** Adds refused requests to those of a mode, and forgets the oldest. */
const note = (client: Client) => (feed: Feed, errors: ReadonlyArray<StoredRequestError>) =>
  Effect.asVoid(
    callFunction(
      client,
      noteFunction,
      { errors: keys.requestErrorsKey(feed) },
      {
        errors: errors.map((error) => JSON.stringify(error)),
        kept: limits.requestErrorsKept,
        keptMillis: limits.requestErrorsKeptMillis,
      },
    ),
  )

/** Reads a mode's refused requests that are not too old, newest first. */
const list = (client: Client) =>
  Effect.fnUntraced(function* (feed: Feed) {
    const reply = yield* client.call("XREVRANGE", [keys.requestErrorsKey(feed), "+", "-"])
    const since = (yield* Clock.currentTimeMillis) - limits.requestErrorsKeptMillis
    const entries = (reply ?? []) as ReadonlyArray<readonly [string, ReadonlyArray<string>]>
    return entries
      .map(([, [, text = ""]]) => errorOf(text))
      .filter(({ atMillis }) => atMillis > since)
      .toSorted((one, other) => other.atMillis - one.atMillis)
  })

/** Refused requests on Redis. */
export const RequestErrorStoreLive = Layer.effect(
  RequestErrorStore,
  Effect.map(RedisClient, (client) => RequestErrorStore.of({ note: note(client), list: list(client) })),
)
