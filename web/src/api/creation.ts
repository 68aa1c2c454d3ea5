import { useRef } from "preact/hooks"
import { CorrenteError } from "../../../client/src/errors.ts"
import { api, newIdempotencyKey } from "./http.ts"
import { failureOf } from "./resource.ts"

/** `unexpected_answer` is a proxy's, which may have lost the service's own. */
const undecidedCodes: ReadonlySet<string> = new Set(["idempotency_in_progress", "unexpected_answer"])

/** Whether nobody knows if the request was carried out, so that it must be sent again under the same key. */
const isUndecided = ({ status, code }: CorrenteError): boolean =>
  status === undefined || status === 503 || status === 500 || undecidedCodes.has(code)

/**
 * Sends what a form creates. The same form sent again after a failure without an answer has the same key, so that it creates one
 * thing alone; after a refusal, or with other values, it is a new request.
 */
export const useCreation = <A>(path: string): ((body: unknown) => Promise<A>) => {
  const pending = useRef<{ readonly text: string; readonly key: string } | undefined>(undefined)
  return async (body) => {
    const text = JSON.stringify(body)
    const key = pending.current?.text === text ? pending.current.key : newIdempotencyKey()
    pending.current = { text, key }
    try {
      const created = await api.post<A>(path, body, { idempotencyKey: key })
      pending.current = undefined
      return created
    } catch (cause) {
      if (!isUndecided(failureOf(cause))) pending.current = undefined
      throw cause
    }
  }
}

/** Refuses a form before it is sent, in words of the page's language. */
export const refusal = (text: string): CorrenteError =>
  new CorrenteError({ code: "invalid_input", message: text })
