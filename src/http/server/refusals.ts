import { Clock, Effect, type Scope } from "effect"
import { makeRegistrar } from "../../../actors/metrics/registrar.ts"
import type { RequestErrorStore, StoredRequestError } from "../../../actors/ports/requestErrorStore.ts"
import { type Principal, sessionKeyHash } from "../../../actors/values/principal.ts"
import type { Feed } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { maskSecrets } from "../contract/failure.ts"

/** What is noted of a request. */
interface Refused {
  readonly requestId: string
  readonly principal: Principal | undefined
  readonly route: { readonly method: string; readonly path: string }
}

/** An answer as it was sent; read only if it is noted. */
interface Waiting extends Refused {
  readonly atMillis: number
  readonly status: number
  readonly body: string | Uint8Array
}

/** The refused requests of a seller's mode, oldest first. */
export interface RefusedOfFeed {
  readonly feed: Feed
  readonly errors: ReadonlyArray<StoredRequestError>
}

/** What became of a refused request: `kept`, or dropped because its seller, or all sellers, had too many, or the store was away. */
const refusalOutcomes = ["kept", "over_rate", "queue_full", "store_away"] as const

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" ? maskSecrets(value).slice(0, limits.requestErrorMessageMax) : undefined

/** The `error` of an answer; nothing where it is none of ours. */
const errorOf = (body: string | Uint8Array): Readonly<Record<string, unknown>> => {
  try {
    const answer: unknown = JSON.parse(typeof body === "string" ? body : Buffer.from(body).toString())
    const error = (answer as { readonly error?: unknown } | null)?.error
    return typeof error === "object" && error !== null ? { ...error } : {}
  } catch {
    return {}
  }
}

const storedOf = ({ atMillis, requestId, route, status, principal, body }: Waiting): StoredRequestError => {
  const { code, param, message } = errorOf(body)
  return {
    atMillis,
    requestId,
    method: route.method,
    route: route.path,
    status,
    code: textOf(code) ?? "",
    param: textOf(param),
    message: textOf(message) ?? "",
    apiKeyId: principal?.keyHash === sessionKeyHash ? undefined : principal?.keyId,
  }
}

/**
 * Refused requests that wait to be written (docs/decisions/0088-request-errors.md). Noting one costs a few assignments, so that
 * refusing stays cheap; the newest of each seller's mode are kept until the next write, and others are dropped and counted.
 */
export class Refusals {
  readonly counts = { kept: 0, over_rate: 0, queue_full: 0, store_away: 0 }
  readonly #nowMillis: () => number
  #waiting = new Map<string, Array<Waiting>>()

  constructor(nowMillis: () => number) {
    this.#nowMillis = nowMillis
  }

  /** Notes an answer to a request whose seller is known. */
  note({ principal, requestId, route }: Refused, status: number, body: string | Uint8Array): void {
    if (principal === undefined) return
    const name = `${principal.sellerId}:${principal.mode}`
    let waiting = this.#waiting.get(name)
    if (waiting === undefined) {
      if (this.#waiting.size >= limits.requestErrorsFeedsMax) {
        this.counts.queue_full += 1
        return
      }
      waiting = []
      this.#waiting.set(name, waiting)
    }
    if (waiting.length >= limits.requestErrorsPerWriteMax) {
      waiting.shift()
      this.counts.over_rate += 1
    }
    waiting.push({ atMillis: this.#nowMillis(), requestId, principal, route, status, body })
  }

  /** Takes what waits. */
  take(): ReadonlyArray<RefusedOfFeed> {
    if (this.#waiting.size === 0) return []
    const taken = this.#waiting
    this.#waiting = new Map()
    return [...taken.values()].flatMap((waiting) => {
      const principal = waiting[0]?.principal
      if (principal === undefined) return []
      const { sellerId, mode } = principal
      return [{ feed: { sellerId, mode }, errors: waiting.map(storedOf) }]
    })
  }
}

/**
 * Writes refused requests to the store once a second until the scope closes, and then what is left. Where nothing was refused
 * nothing is written, and what the store does not take is dropped: the answers were sent long ago.
 */
export const noteRefusals = (
  store: RequestErrorStore["Service"],
): Effect.Effect<Refusals, never, Scope.Scope> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const refusals = new Refusals(() => clock.currentTimeMillisUnsafe())
    const registrar = yield* makeRegistrar
    for (const outcome of refusalOutcomes) {
      const series = {
        name: "corrente_request_errors_total",
        description: "Refused requests of sellers, by whether they are shown to them",
        labels: { outcome },
      }
      registrar.counter(series, () => refusals.counts[outcome])
    }
    const writeOne = ({ feed, errors }: RefusedOfFeed) =>
      Effect.match(store.note(feed, errors), {
        onSuccess: () => {
          refusals.counts.kept += errors.length
        },
        onFailure: () => {
          refusals.counts.store_away += errors.length
        },
      })
    const write = Effect.suspend(() =>
      Effect.forEach(refusals.take(), writeOne, {
        concurrency: limits.requestErrorsWritesAtOnce,
        discard: true,
      }),
    )
    yield* Effect.addFinalizer(() => write)
    yield* Effect.forkScoped(
      Effect.forever(Effect.andThen(Effect.sleep(limits.requestErrorsWriteMillis), write)),
    )
    return refusals
  })
