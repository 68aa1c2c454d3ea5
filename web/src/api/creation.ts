import { useRef } from "preact/hooks"
import { type ClientErrorCode, CorrenteError } from "../../../client/src/errors.ts"
import type { ErrorCode } from "../../../schema/errorCodes.ts"
import { callAny, newIdempotencyKey, type Request } from "./http.ts"
import { failureOf } from "./resource.ts"
import type { Answer, Given, Route } from "./routes.ts"

/** `unexpected_answer` is a proxy's, which may have lost the service's own. */
const undecidedCodes: ReadonlySet<string> = new Set<ErrorCode | ClientErrorCode>([
  "idempotency_in_progress",
  "unexpected_answer",
])

/** Whether nobody knows if the request was carried out, so that it must be sent again under the same key. */
const isUndecided = ({ status, code }: CorrenteError): boolean =>
  status === undefined || status === 503 || status === 500 || undecidedCodes.has(code)

/**
 * Sends what a form creates. The same form sent again after a failure without an answer has the same key, so that it creates one
 * thing alone; after a refusal, or with other values, it is a new request.
 */
export const useCreation = <R extends Route>(route: R): ((given: Given<R>) => Promise<Answer<R>>) => {
  const pending = useRef<{ readonly text: string; readonly key: string } | undefined>(undefined)
  return async (given) => {
    const text = JSON.stringify(given)
    const key = pending.current?.text === text ? pending.current.key : newIdempotencyKey()
    pending.current = { text, key }
    try {
      const created = await callAny<Answer<R>>(route, { ...(given as Request), idempotencyKey: key })
      pending.current = undefined
      return created
    } catch (cause) {
      if (!isUndecided(failureOf(cause))) pending.current = undefined
      throw cause
    }
  }
}

/** Refuses a form before it is sent, in words of the page's language; `param` names the field that is wrong, where one is. */
export const refusal = (text: string, param?: string): CorrenteError =>
  new CorrenteError({ code: "invalid_input", message: text, ...(param === undefined ? {} : { param }) })
