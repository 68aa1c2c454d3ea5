import { signal } from "@preact/signals"
import type { CorrenteError } from "../../../client/src/errors.ts"

/** Why requests are made again: nobody answers, or the service refuses them for now. */
export type RetryReason = "unreachable" | "busy"

const waiting = new Map<object, RetryReason>()

/** Why requests of this page wait until they are made again; undefined while none does. */
export const retryReason = signal<RetryReason | undefined>(undefined)

const show = () => {
  retryReason.value = waiting.values().next().value
}

/** Has pages say, for as long as `wait` takes, that a request failed for this reason and will be made again. */
export const tellRetry = async (error: CorrenteError, wait: Promise<void>): Promise<void> => {
  const token = {}
  waiting.set(token, error.status === undefined ? "unreachable" : "busy")
  show()
  try {
    await wait
  } finally {
    waiting.delete(token)
    show()
  }
}
