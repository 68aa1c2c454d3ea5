import type { CorrenteError } from "../../../client/src/errors.ts"
import { pause } from "../../../client/src/waiting.ts"
import type { Bulk } from "../../../schema/resources/bulk.ts"
import { call } from "../api/http.ts"
import { failureOf } from "../api/resource.ts"
import { explain } from "../text/failures.ts"
import { textsOf } from "../text/i18n.ts"

const texts = textsOf({
  "pt-BR": { another: "Outra ação em lote está em andamento. Tente de novo quando ela terminar." },
  en: { another: "Another bulk act is under way. Try again when it is done." },
})

const lookMillis = 300

/** Why a bulk act was not begun, in the words of pages. */
export const bulkFailureOf = (cause: unknown): CorrenteError => {
  const error = failureOf(cause)
  return error.code === "invalid_state" ? explain(error, texts.value.another) : error
}

/**
 * Reads a bulk act (`docs/contract/bulk.md`) until it is done, and returns it as it was last read. `onRead` gets each reading and, with
 * the last good one, why it could not be read; that is tried again. Once `signal` is aborted it ends; the act itself goes on.
 */
export const watchBulk = async (
  begun: Bulk,
  onRead: (bulk: Bulk, error: CorrenteError | undefined) => void,
  signal: AbortSignal,
): Promise<Bulk> => {
  let bulk = begun
  let error: CorrenteError | undefined
  while (!signal.aborted) {
    onRead(bulk, error)
    if (bulk.state === "done") break
    try {
      await pause(lookMillis, signal)
      bulk = await call("GET /v1/me/bulk/:id", { params: { id: bulk.id }, signal })
      error = undefined
    } catch (cause) {
      error = failureOf(cause)
    }
  }
  return bulk
}
