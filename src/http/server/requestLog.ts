import { Array as Arrays, Clock, Effect, type Scope } from "effect"
import { makeRegistrar } from "../../../actors/metrics/registrar.ts"
import type { AnsweredRequest, RequestLogStore } from "../../../actors/ports/requestLogStore.ts"
import { type Principal, sessionKeyHash } from "../../../actors/values/principal.ts"
import type { Feed } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { maskKeys, maskSecrets } from "../contract/failure.ts"
import { clientAddress } from "../contract/forwardedFor.ts"
import { blockListOf } from "./addressList.ts"
import { headerOf } from "./headerValues.ts"
import type { Incoming, Route } from "./route.ts"

/** What is noted of a request; read before its answer is written, while the connection still tells the address. */
interface Noted extends Pick<Incoming, "requestId" | "principal" | "headers" | "remoteAddress"> {
  readonly route: Pick<Route, "method" | "path" | "headerNames" | "takesAllHeaders">
}

/** A request that waits to be written. The answer of a refused one is read only then. */
interface Waiting {
  readonly principal: Principal
  readonly request: Omit<AnsweredRequest, "error">
  readonly refusal: string | Uint8Array | undefined
}

/** Some requests of a seller's mode, oldest first. */
interface RequestsOfFeed {
  readonly feed: Feed
  readonly requests: ReadonlyArray<AnsweredRequest>
}

/** What became of a request: `kept`, or left out because its key, or all keys, had too many, or the store was away. */
const outcomes = ["kept", "over_rate", "queue_full", "store_away"] as const

/** What a credential has of a minute in this process. */
interface Share {
  refused: number
  answered: number
}

const minuteMillis = 60_000

const isSession = ({ keyHash }: Principal): boolean => keyHash === sessionKeyHash

const shareName = (principal: Principal): string =>
  isSession(principal) ? `${principal.sellerId}:${principal.mode}` : principal.keyHash

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" ? maskSecrets(value).slice(0, limits.requestErrorMessageMax) : undefined

/** The `error` of an answer; nothing where it is none of ours. */
const errorOf = (body: string | Uint8Array): AnsweredRequest["error"] => {
  const read = (): Readonly<Record<string, unknown>> => {
    const answer: unknown = JSON.parse(typeof body === "string" ? body : Buffer.from(body).toString())
    const error = (answer as { readonly error?: unknown } | null)?.error
    return typeof error === "object" && error !== null ? { ...error } : {}
  }
  try {
    const { code, param, message } = read()
    return { code: textOf(code) ?? "", param: textOf(param), message: textOf(message) ?? "" }
  } catch {
    return { code: "", param: undefined, message: "" }
  }
}

const requestOf = ({ request, refusal }: Waiting): AnsweredRequest => ({
  ...request,
  error: refusal === undefined ? undefined : errorOf(refusal),
})

/**
 * Answered requests that wait to be written (docs/decisions/0088-request-log.md). Noting one costs an entry of a list, and once its key
 * has its share of the minute, a comparison. The store holds the shares of all processes together; a refused request is let through
 * although this process has noted its fill of others, because it takes the place of one.
 */
export class RequestLog {
  readonly counts = { kept: 0, over_rate: 0, queue_full: 0, store_away: 0 }
  readonly #nowMillis: () => number
  readonly #addressOf: (request: Noted) => string
  #waiting: Array<Waiting> = []
  #minute = 0
  #shares = new Map<string, Share>()

  constructor(nowMillis: () => number, trustedProxies: ReadonlyArray<string>) {
    this.#nowMillis = nowMillis
    const proxies = blockListOf(trustedProxies)
    // Where no proxy is trusted, none is looked up.
    this.#addressOf =
      trustedProxies.length === 0
        ? ({ remoteAddress }) => remoteAddress
        : (request) => clientAddress(request.remoteAddress, headerOf(request, "x-forwarded-for"), proxies)
  }

  /**
   * Notes an answer to a request whose seller is known; of sessions, refused ones alone. `beganMillis` is when its head had arrived, by
   * `performance.now()`.
   */
  note(request: Noted, status: number, body: string | Uint8Array, beganMillis: number): void {
    const { principal, route } = request
    const isRefused = status >= 400
    if (principal === undefined || (!isRefused && isSession(principal))) return
    const atMillis = this.#nowMillis()
    if (!this.#hasRoom(principal, isRefused, atMillis)) return
    const idempotencyKey = headerOf(request, "idempotency-key").slice(0, limits.idempotencyKeyLengthMax)
    this.#waiting.push({
      principal,
      request: {
        atMillis,
        requestId: request.requestId,
        method: route.method,
        route: route.path,
        status,
        millis: Math.round(performance.now() - beganMillis),
        apiKeyId: isSession(principal) ? undefined : principal.keyId,
        ipAddress: this.#addressOf(request) || undefined,
        idempotencyKey: idempotencyKey === "" ? undefined : maskKeys(idempotencyKey),
      },
      refusal: isRefused ? body : undefined,
    })
  }

  /** The share of a credential; undefined where this process counts too many already. */
  #shareOf(principal: Principal, nowMillis: number): Share | undefined {
    const minute = Math.floor(nowMillis / minuteMillis)
    if (minute !== this.#minute) {
      this.#minute = minute
      this.#shares = new Map()
    }
    const name = shareName(principal)
    const share = this.#shares.get(name)
    if (share !== undefined || this.#shares.size >= limits.requestLogCredentialsMax) return share
    const made = { refused: 0, answered: 0 }
    this.#shares.set(name, made)
    return made
  }

  /** Counts one more in its share of the minute; false if it is left out. */
  #hasRoom(principal: Principal, isRefused: boolean, nowMillis: number): boolean {
    const share = this.#shareOf(principal, nowMillis)
    if (share === undefined || this.#waiting.length >= limits.requestLogWaitingMax) {
      this.counts.queue_full += 1
      return false
    }
    const taken = isRefused ? share.refused : share.refused + share.answered
    if (taken >= limits.requestLogPerMinuteMax) {
      this.counts.over_rate += 1
      return false
    }
    if (isRefused) share.refused += 1
    else share.answered += 1
    return true
  }

  /** Takes what waits. */
  take(): ReadonlyArray<RequestsOfFeed> {
    if (this.#waiting.length === 0) return []
    const waiting = this.#waiting
    this.#waiting = []
    const byFeed = new Map<string, { feed: Feed; requests: Array<AnsweredRequest> }>()
    for (const one of waiting) {
      const { sellerId, mode } = one.principal
      const name = `${sellerId}:${mode}`
      const ofFeed = byFeed.get(name) ?? { feed: { sellerId, mode }, requests: [] }
      ofFeed.requests.push(requestOf(one))
      byFeed.set(name, ofFeed)
    }
    return [...byFeed.values()]
  }
}

/**
 * Writes answered requests to the store once a second until the scope closes, and then what is left. Where nothing was asked nothing is
 * written, and what the store does not take is dropped: the answers were sent long ago.
 */
export const keepRequestLog = (
  store: RequestLogStore["Service"],
  trustedProxies: ReadonlyArray<string>,
): Effect.Effect<RequestLog, never, Scope.Scope> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const log = new RequestLog(() => clock.currentTimeMillisUnsafe(), trustedProxies)
    const registrar = yield* makeRegistrar
    for (const outcome of outcomes) {
      const series = {
        name: "corrente_request_log_total",
        description: "Requests of sellers, by whether their log has them",
        labels: { outcome },
      }
      registrar.counter(series, () => log.counts[outcome])
    }
    const writeSome = (feed: Feed, requests: ReadonlyArray<AnsweredRequest>) =>
      Effect.match(store.note(feed, requests), {
        onSuccess: (kept) => {
          log.counts.kept += kept
          log.counts.over_rate += requests.length - kept
        },
        onFailure: () => {
          log.counts.store_away += requests.length
        },
      })
    const writeFeed = ({ feed, requests }: RequestsOfFeed) =>
      Effect.forEach(
        Arrays.chunksOf(requests, limits.requestLogPerCallMax),
        (some) => writeSome(feed, some),
        { discard: true },
      )
    const write = Effect.suspend(() =>
      Effect.forEach(log.take(), writeFeed, { concurrency: limits.requestLogWritesAtOnce, discard: true }),
    )
    yield* Effect.addFinalizer(() => write)
    yield* Effect.forkScoped(
      Effect.forever(Effect.andThen(Effect.sleep(limits.requestLogWriteMillis), write)),
    )
    return log
  })
