import { Clock, Effect } from "effect"
import type { AttemptError, AttemptRequest, AttemptResult, Sender } from "../../../actors/ports/sender.ts"
import { limits } from "../../../schema/limits.ts"

/** How a receiver responds to one attempt. */
export interface Reception {
  /** The status that it answers, or the error instead. */
  readonly outcome: number | AttemptError
  readonly takesMillis?: number
  /** Makes the sender die of a defect instead. */
  readonly isDefect?: boolean
}

/** An attempt as it was sent. */
export interface Sent extends AttemptRequest {
  readonly atMillis: number
}

export const ok: Reception = { outcome: 204 }
export const down: Reception = { outcome: 500 }
/** Accepts the connection and never answers: cut off at the deadline. */
export const hangs: Reception = { outcome: "timeout", takesMillis: limits.attemptTimeoutMillis }
export const unreachable: Reception = { outcome: "connection_error" }

const isAnswered = (outcome: number | AttemptError): outcome is number => typeof outcome === "number"

const resultOf = (request: AttemptRequest, { outcome, takesMillis = 0 }: Reception): AttemptResult => {
  const isSuccess = isAnswered(outcome) && outcome >= 200 && outcome < 300
  const error = isAnswered(outcome) ? (`http_${outcome}` as const) : outcome
  return {
    outcome: isSuccess ? "success" : "failed",
    retriable: !isSuccess && outcome !== "blocked_destination" && outcome !== "missing_secret",
    error: isSuccess ? null : error,
    statusCode: isAnswered(outcome) ? outcome : null,
    responseMillis: isAnswered(outcome) ? takesMillis : null,
    responseBodyExcerpt: isAnswered(outcome) ? `answer ${outcome}` : null,
    requestHeaders: { "X-Attempt": String(request.attempt) },
    requestPath: "/",
    targetHost: new URL(request.url).host,
  }
}

/**
 * Receivers that respond to attempts as the test scripts them for each URL, and a list of what was sent.
 * The last reception of a script repeats; a URL without a script answers 204 at once.
 */
export const makeReceivers = () => {
  const scripts = new Map<string, Array<Reception>>()
  const sent: Array<Sent> = []
  const open = new Map<string, number>()
  const mostOpen = new Map<string, number>()

  const nextReception = (url: string): Reception => {
    const script = scripts.get(url)
    if (script === undefined) return ok
    return (script.length > 1 ? script.shift() : script[0]) ?? ok
  }
  const addOpen = (url: string, change: number) => {
    const count = (open.get(url) ?? 0) + change
    open.set(url, count)
    mostOpen.set(url, Math.max(mostOpen.get(url) ?? 0, count))
  }

  const send: Sender["Service"]["send"] = (request) =>
    Effect.gen(function* () {
      sent.push({ ...request, atMillis: yield* Clock.currentTimeMillis })
      if (request.secretRequired && request.secrets.length === 0) {
        return resultOf(request, { outcome: "missing_secret" })
      }
      const reception = nextReception(request.url)
      if (reception.isDefect === true) return yield* Effect.die(new Error("the sender is broken"))
      yield* Effect.sleep(reception.takesMillis ?? 0)
      return resultOf(request, reception)
    }).pipe((attempt) =>
      Effect.acquireUseRelease(
        Effect.sync(() => addOpen(request.url, 1)),
        () => attempt,
        () => Effect.sync(() => addOpen(request.url, -1)),
      ),
    )

  return {
    sender: { send } satisfies Sender["Service"],
    sent,
    /** What was sent to one URL. */
    sentTo: (url: string) => sent.filter((attempt) => attempt.url === url),
    script: (url: string, ...receptions: ReadonlyArray<Reception>) => {
      scripts.set(url, [...receptions])
    },
    /** Attempts under way at a URL, now and at most. */
    openAt: (url: string) => open.get(url) ?? 0,
    mostOpenAt: (url: string) => mostOpen.get(url) ?? 0,
  }
}
export type Receivers = ReturnType<typeof makeReceivers>
