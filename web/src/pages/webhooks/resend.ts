import type { Bulk } from "../../../../schema/resources/bulk.ts"
import { call, newIdempotencyKey } from "../../api/http.ts"
import { bulkFailureOf, watchBulk } from "../../ui/bulk.ts"

/** How far a {@link resend} is. */
export interface ResendProgress {
  readonly sent: number
  /** Those that were received meanwhile, have an attempt scheduled, or whose event is no longer kept. */
  readonly skipped: number
}

const progressOf = ({ done, failed }: Bulk): ResendProgress => ({
  sent: done - failed.length,
  skipped: failed.length,
})

/**
 * Has deliveries sent again in order, by the ids of attempts, as one bulk act (`docs/contract/bulk.md`), which goes on without the page.
 * `signal` ends only the watching.
 */
export const resend = async (
  ids: ReadonlyArray<string>,
  onProgress: (progress: ResendProgress) => void,
  signal: AbortSignal,
): Promise<ResendProgress> => {
  const body = { act: "resend", ids } as const
  try {
    const begun = await call("POST /v1/me/bulk", { body, idempotencyKey: newIdempotencyKey() })
    return progressOf(await watchBulk(begun, (bulk) => onProgress(progressOf(bulk)), signal))
  } catch (cause) {
    throw bulkFailureOf(cause)
  }
}
