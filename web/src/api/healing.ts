import type { ReadonlySignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { ClientErrorCode, CorrenteError } from "../../../client/src/errors.ts"
import { backoffMillis } from "../../../client/src/waiting.ts"

const healMillisMax = 30_000

const passingCodes: ReadonlySet<string> = new Set<ClientErrorCode>(["network_error", "timeout"])

/** Whether a failure passes by itself, so that the same reading is worth another try. */
const isPassing = ({ code, status }: CorrenteError): boolean =>
  passingCodes.has(code) || status === 503 || status === 429

type Failure = ReadonlySignal<CorrenteError | undefined>

/**
 * Reads again by itself what could not be read for a reason that passes: when the service says, and later after each failure in a row.
 * Returns what ends that.
 */
export const healing = (error: Failure, readAgain: () => unknown): (() => void) => {
  let timer: ReturnType<typeof setTimeout> | undefined
  let failures = 0
  const leave = error.subscribe((failure) => {
    clearTimeout(timer)
    if (failure === undefined || !isPassing(failure)) {
      failures = 0
      return
    }
    const askedMillis = (failure.retryAfterSeconds ?? 0) * 1_000
    timer = setTimeout(readAgain, Math.max(askedMillis, backoffMillis(failures++, healMillisMax)))
  })
  return () => {
    clearTimeout(timer)
    leave()
  }
}

/** {@link healing} for as long as a component is shown. */
export const useHealing = (error: Failure, readAgain: () => unknown): void => {
  useEffect(() => healing(error, readAgain), [error])
}
