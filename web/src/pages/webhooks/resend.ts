import { CorrenteError } from "../../../../client/src/errors.ts"
import { call } from "../../api/http.ts"

/** How far a {@link resend} is. */
export interface ResendProgress {
  readonly sent: number
  /** Those that were received meanwhile, have an attempt scheduled, or whose event is no longer kept. */
  readonly skipped: number
}

/**
 * Has deliveries sent again, one after the other, by the ids of attempts (`docs/contract/deliveries.md#replay`). Ends early once
 * `signal` is aborted. Fails as `call` does at the first other refusal; what was sent stays sent.
 */
export const resend = async (
  ids: ReadonlyArray<string>,
  onProgress: (progress: ResendProgress) => void,
  signal: AbortSignal,
): Promise<ResendProgress> => {
  let progress: ResendProgress = { sent: 0, skipped: 0 }
  for (const id of ids) {
    if (signal.aborted) break
    try {
      // Sent twice it is refused, and counts as skipped.
      await call("POST /v1/me/webhook-deliveries/:id/retry", { params: { id }, isRepeatable: true })
      progress = { ...progress, sent: progress.sent + 1 }
    } catch (error) {
      if (!(error instanceof CorrenteError) || error.code !== "invalid_state") throw error
      progress = { ...progress, skipped: progress.skipped + 1 }
    }
    onProgress(progress)
  }
  return progress
}
