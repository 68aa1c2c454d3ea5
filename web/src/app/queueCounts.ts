import { signal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { Queue } from "../../../schema/api/queue.ts"
import { call } from "../api/http.ts"
import { isAttended, onAttention } from "./attention.ts"

/** What waits for operators, as the menu shows it; undefined until it was read. */
export const queueCounts = signal<Queue["counts"] | undefined>(undefined)

const everyMillis = 30_000

/** Reads what waits while somebody may be looking: the desk itself tells it sooner. A reading that fails leaves what is shown. */
export const useQueueCounts = (): void => {
  useEffect(() => {
    const read = async () => {
      if (!isAttended()) return
      try {
        queueCounts.value = (await call("GET /v1/admin/queue", { asksStepUp: false })).counts
      } catch {
        // The pages themselves say that the service does not answer.
      }
    }
    void read()
    const timer = setInterval(() => void read(), everyMillis)
    const leave = onAttention(() => void read())
    return () => {
      clearInterval(timer)
      leave()
    }
  }, [])
}
