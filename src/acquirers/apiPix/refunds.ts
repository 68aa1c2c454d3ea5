import { Effect, Result } from "effect"
import {
  type Acquirer,
  AcquirerRefused,
  AcquirerUnavailable,
  type RefundAnswer,
  type RefundReport,
  type RefundRequest,
} from "../../../actors/ports/acquirer.ts"
import { decimalOf } from "./amounts.ts"
import { refundReport } from "./chargeReport.ts"
import { type Answer, type ApiPixClient, lookUpTimeoutMillis } from "./client.ts"
import { isNotFound, isProblemWithoutFunds, problemOf, readBody, WireRefund } from "./wire.ts"

/** What refund calls need. */
export interface RefundCalls {
  readonly client: ApiPixClient
  /** Where `/pix` is, without a trailing slash. */
  readonly baseUrl: string
}

/** Status codes that may refuse a refund; the body must say why. */
const refusals: ReadonlySet<number> = new Set([400, 403, 404, 410, 422])

const readRefund = readBody(WireRefund)

const isOk = ({ statusCode }: Answer): boolean => statusCode >= 200 && statusCode < 300

/** The operation and the refund it is about. */
interface Asked extends RefundRequest {
  readonly operation: "refund" | "queryRefund"
}

const unavailable = ({ operation }: Asked, reason: string) => new AcquirerUnavailable({ operation, reason })

const urlOf = ({ baseUrl }: RefundCalls, { endToEndId, refundId }: Asked): string =>
  `${baseUrl}/pix/${encodeURIComponent(endToEndId)}/devolucao/${encodeURIComponent(refundId)}`

/** The acquirer's report on our refund; one with another amount is never believed. */
const reportOf = Effect.fnUntraced(function* (asked: Asked, answer: Answer) {
  const refund = yield* readRefund(asked.operation, answer)
  if (refund.id !== asked.refundId) return yield* unavailable(asked, "answered with another refund")
  if (refund.valor !== asked.amount) return yield* unavailable(asked, "answered with another amount")
  return refundReport(refund)
})

/** GET by our id; a 404 of the acquirer's own means that it does not know the refund. */
const ask = Effect.fnUntraced(function* (calls: RefundCalls, asked: Asked, timeoutMillis?: number) {
  const answer = yield* calls.client.call({
    operation: asked.operation,
    method: "GET",
    url: urlOf(calls, asked),
    isRepeatable: true,
    ...(timeoutMillis === undefined ? {} : { timeoutMillis }),
  })
  if (isOk(answer)) return yield* reportOf(asked, answer)
  const unknown: RefundAnswer = { status: "unknown" }
  if (isNotFound(answer)) return unknown
  return yield* unavailable(asked, `answered ${answer.statusCode}`)
})

/** GET /pix/{e2eid}/devolucao/{id} */
export const queryRefund =
  (calls: RefundCalls): Acquirer["queryRefund"] =>
  (request) =>
    ask(calls, { operation: "queryRefund", ...request })

/** PUT /pix/{e2eid}/devolucao/{id}, sent once; asks by GET if the answer leaves the outcome open (docs/architecture.md#rule-7). */
export const refund = (calls: RefundCalls): Acquirer["refund"] =>
  Effect.fnUntraced(function* (request) {
    const asked: Asked = { operation: "refund", ...request }
    const put = Effect.gen(function* () {
      const answer = yield* calls.client.call({
        operation: asked.operation,
        method: "PUT",
        url: urlOf(calls, asked),
        body: { valor: decimalOf(asked.amount) },
        isRepeatable: false,
      })
      if (isOk(answer)) return yield* reportOf(asked, answer)
      const reason = problemOf(answer.body)
      return yield* refusals.has(answer.statusCode) && reason !== undefined
        ? new AcquirerRefused({
            reason,
            ...(isProblemWithoutFunds(answer.body) ? { isWithoutFunds: true } : {}),
          })
        : unavailable(asked, `answered ${answer.statusCode}`)
    })
    const sent = yield* Effect.result(put)
    if (Result.isSuccess(sent)) return sent.success
    // Acquirers also refuse an id that they have refunded; a refusal counts only where they do not know the id.
    const known: RefundAnswer = yield* ask(calls, asked, lookUpTimeoutMillis)
    if (known.status !== "unknown") return known satisfies RefundReport
    return yield* Effect.fail(sent.failure)
  })
