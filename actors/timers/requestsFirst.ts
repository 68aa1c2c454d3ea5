import { Effect } from "effect"
import { limits } from "../../schema/limits.ts"
import type { RequestDelay } from "../ports/requestDelay.ts"

/**
 * Waits while requests wait, before a piece of long work such as a page of reads. After a while it goes on all the same, so that
 * an audit or a sweep ends even on a service that is busy all day.
 */
export const requestsFirst = (requests: RequestDelay["Service"]): Effect.Effect<void> =>
  Effect.gen(function* () {
    for (let looks = 0; looks < limits.auditYieldLooksMax; looks++) {
      if (requests.currentMillis() <= limits.dueWorkYieldsAboveMillis) return
      yield* Effect.sleep(limits.dueWorkLookMillis)
    }
  })
