import { Clock, Effect, Layer } from "effect"
import {
  type AnsweredRequest,
  type LoggedEntry,
  RequestLogStore,
  type RequestsFound,
  type RequestsWanted,
} from "../../actors/ports/requestLogStore.ts"
import type { Feed } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { readPage, type StreamEntry } from "./auditStream.ts"
import * as keys from "./keys.ts"
import { callFunction } from "./redis/functionLibrary.ts"
import { luaFunction } from "./redis/luaFunction.ts"
import { RedisClient } from "./redis/redisClient.ts"

type Client = RedisClient["Service"]

/** The fields of an entry. All entries have all of them, because Redis then keeps their names once. */
const fieldsOf = (request: AnsweredRequest): ReadonlyArray<string> =>
  Object.entries({
    request: request.requestId,
    method: request.method,
    route: request.route,
    status: String(request.status),
    ms: String(request.millis),
    key: request.apiKeyId ?? "",
    address: request.ipAddress ?? "",
    idempotency_key: request.idempotencyKey ?? "",
    code: request.error?.code ?? "",
    param: request.error?.param ?? "",
    message: request.error?.message ?? "",
  }).flat()

const readEntry = ({ id, field }: StreamEntry): LoggedEntry => {
  const status = Number(field("status"))
  return {
    id,
    atMillis: Number.parseInt(id, 10),
    requestId: field("request"),
    method: field("method"),
    route: field("route"),
    status,
    millis: Number(field("ms")),
    apiKeyId: field("key") || undefined,
    ipAddress: field("address") || undefined,
    idempotencyKey: field("idempotency_key") || undefined,
    error:
      status < 400
        ? undefined
        : { code: field("code"), param: field("param") || undefined, message: field("message") },
  }
}

const noteFunction = luaFunction("request_log.note", { keys: ["answered", "refused", "shares"] })

/** The share of a minute that all sessions of a mode have together. */
const sessionShare = "session"

const note = (client: Client) => (feed: Feed, requests: ReadonlyArray<AnsweredRequest>) =>
  Effect.map(
    callFunction(
      client,
      noteFunction,
      {
        answered: keys.answeredRequestsKey(feed),
        refused: keys.refusedRequestsKey(feed),
        shares: keys.requestSharesKey(feed),
      },
      {
        requests: requests.map((request) => ({
          at: request.atMillis,
          credential: request.apiKeyId ?? sessionShare,
          isRefused: request.error !== undefined,
          fields: fieldsOf(request),
        })),
        perMinute: limits.requestLogPerMinuteMax,
        entriesMax: limits.requestLogEntriesMax,
        keptMillis: limits.requestLogKeptMillis,
      },
    ),
    (reply) => Number((reply as ReadonlyArray<unknown>)[1]),
  )

/** Orders ids of entries, newest first. */
const byNewest = (one: string, other: string): number => {
  const [millis = 0, sequence = 0] = one.split("-").map(Number)
  const [otherMillis = 0, otherSequence = 0] = other.split("-").map(Number)
  return otherMillis - millis || otherSequence - sequence
}

/**
 * One page of the pages of several streams. Where a stream's page ended early, nothing older than its end is shown yet: the stream
 * may have entries between.
 */
const merged = (pages: ReadonlyArray<RequestsFound>, limit: number): RequestsFound => {
  const [end] = pages.flatMap(({ nextBeforeId }) => nextBeforeId ?? []).toSorted(byNewest)
  const known = pages
    .flatMap(({ entries }) => entries)
    .filter(({ id }) => end === undefined || byNewest(id, end) <= 0)
    .toSorted((one, other) => byNewest(one.id, other.id))
  const entries = known.slice(0, limit)
  return { entries, nextBeforeId: known.length > limit ? entries.at(-1)?.id : end }
}

const list = (client: Client) =>
  Effect.fnUntraced(function* (feed: Feed, wanted: RequestsWanted) {
    const oldest = (yield* Clock.currentTimeMillis) - limits.requestLogKeptMillis
    const kept = { ...wanted, fromMillis: Math.max(wanted.fromMillis ?? 0, oldest) }
    const streams = [
      ...(wanted.outcome === "refused" ? [] : [keys.answeredRequestsKey(feed)]),
      ...(wanted.outcome === "answered" ? [] : [keys.refusedRequestsKey(feed)]),
    ]
    const pages = yield* Effect.forEach(streams, (key) => readPage(client, key, readEntry)(kept), {
      concurrency: streams.length,
    })
    return merged(pages, wanted.limit)
  })

/** The request log on Redis. */
export const RequestLogStoreLive = Layer.effect(
  RequestLogStore,
  Effect.map(RedisClient, (client) => RequestLogStore.of({ note: note(client), list: list(client) })),
)
