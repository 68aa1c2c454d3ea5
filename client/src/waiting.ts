import { CorrenteError } from "./errors.ts"

/** The longest time that a timer can have. */
const timerMillisMax = 2 ** 31 - 1

const aborted = (signal: AbortSignal): CorrenteError =>
  new CorrenteError({ code: "aborted", message: "The call was aborted.", cause: signal.reason })

/**
 * Runs something that ends when the signal aborts (`aborted`) or the time is up (`timeout`), whether or not it listens to the signal
 * that it is given. Any other failure is `network_error`, unless it is a CorrenteError already.
 */
export const withDeadline = async <T>(
  timeoutMillis: number,
  signal: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  if (signal?.aborted) throw aborted(signal)
  const controller = new AbortController()
  let end: () => void = () => {}
  const stopped = new Promise<never>((_, reject) => {
    const stop = (error: CorrenteError) => {
      reject(error)
      controller.abort(error)
    }
    const onAbort = () => signal && stop(aborted(signal))
    const timer = setTimeout(
      () => stop(new CorrenteError({ code: "timeout", message: `No answer within ${timeoutMillis} ms.` })),
      Math.min(timeoutMillis, timerMillisMax),
    )
    signal?.addEventListener("abort", onAbort, { once: true })
    end = () => {
      clearTimeout(timer)
      signal?.removeEventListener("abort", onAbort)
    }
  })
  try {
    return await Promise.race([run(controller.signal), stopped])
  } catch (cause) {
    if (cause instanceof CorrenteError) throw cause
    throw new CorrenteError({ code: "network_error", message: "The service was not reached.", cause })
  } finally {
    end()
  }
}

/** Waits; fails with `aborted` when the signal aborts. */
export const pause = async (millis: number, signal: AbortSignal | undefined): Promise<void> => {
  try {
    await withDeadline(millis, signal, () => new Promise<never>(() => {}))
  } catch (error) {
    if (!(error instanceof CorrenteError && error.code === "timeout")) throw error
  }
}

const backoffFirstMillis = 500
const backoffMillisMax = 8_000

/** Nobody waits longer than this for an answer: a `Retry-After` beyond it ends the call. */
const retryAfterSecondsMax = 60

/** How long to wait after some failures in a row: doubling, half of it by chance. */
export const backoffMillis = (failures: number, millisMax = backoffMillisMax): number =>
  Math.min(millisMax, backoffFirstMillis * 2 ** failures) * (0.5 + Math.random() / 2)

/**
 * Whether a call is made again after this failure. `isRepeatable`: nothing happens twice if the call did reach the service.
 * 500 and 502 are not: the service has saved them under the Idempotency-Key, or has a defect (`docs/contract/README.md#idempotency`).
 */
const isTemporary = ({ code, status }: CorrenteError, isRepeatable: boolean): boolean => {
  if (status === 429 || code === "idempotency_in_progress") return true
  return isRepeatable && (status === 503 || code === "network_error" || code === "timeout")
}

/** How long to wait before the call is made again; undefined where it is not. */
export const retryWaitMillis = (
  error: CorrenteError,
  failures: number,
  isRepeatable: boolean,
): number | undefined => {
  const askedSeconds = error.retryAfterSeconds ?? 0
  if (!isTemporary(error, isRepeatable) || askedSeconds > retryAfterSecondsMax) return undefined
  return Math.max(askedSeconds * 1_000, backoffMillis(failures))
}
