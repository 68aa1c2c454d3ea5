import { Effect } from "effect"
import {
  type Acquirer,
  AcquirerRefused,
  AcquirerUnavailable,
  type PayoutReport,
} from "../../../actors/ports/acquirer.ts"
import { decimalOf } from "./amounts.ts"
import { type Answer, type ApiPixClient, lookUpTimeoutMillis } from "./client.ts"
import { isNotFound, oneLine, problemOf, readBody, WirePayout } from "./wire.ts"

/** What the calls of payouts need. */
export interface PayoutCalls {
  readonly client: ApiPixClient
  /** Where `/v2/gn/pix` is, without a slash at the end. */
  readonly rootUrl: string
  /** The PIX key that pays. */
  readonly pixKey: string
}

/** Answers by which a payout may have been refused; a body that says why must be with them. */
const refusals: ReadonlySet<number> = new Set([400, 403, 404, 422])

/** Usual codes are `AC03` and the like; what is longer is a sentence. */
const reasonCodePattern = /^[A-Za-z0-9_.-]{1,64}$/

const readPayout = readBody(WirePayout)

const isOk = ({ statusCode }: Answer): boolean => statusCode >= 200 && statusCode < 300

/** Who asked, and for what. */
interface Asked {
  readonly operation: string
  readonly payoutId: string
  readonly amount: number
}

const unavailable = ({ operation }: Asked, reason: string) => new AcquirerUnavailable({ operation, reason })

/** The partner's word on a payout, if it is about ours: one of another amount is never believed. */
const reportOf = Effect.fnUntraced(function* (asked: Asked, answer: Answer) {
  const payout = yield* readPayout(asked.operation, answer)
  if ((payout.idEnvio ?? asked.payoutId) !== asked.payoutId) {
    return yield* unavailable(asked, "answered with another payout")
  }
  if (payout.valor !== asked.amount) return yield* unavailable(asked, "answered with another amount")
  const report: PayoutReport | undefined = byStatus(payout)
  return report ?? (yield* unavailable(asked, "says that it paid, and not by which transfer"))
})

const byStatus = (payout: WirePayout): PayoutReport | undefined => {
  const endToEndId = payout.endToEndId ?? payout.e2eId
  switch (payout.status) {
    case "REALIZADO":
      return typeof endToEndId === "string" ? { status: "paid", endToEndId } : undefined
    case "NAO_REALIZADO":
      return { status: "notPaid", reason: reasonOf(payout) }
    default:
      // A state that we do not know is not the end (rule 7).
      return { status: "processing", askAfterMillis: undefined }
  }
}

/** The partner's code, or else its words. */
const reasonOf = ({ erro, gnExtras, motivo }: WirePayout): string => {
  const codes = [erro?.codigo, gnExtras?.erro?.codigo, motivo, erro?.motivo, gnExtras?.erro?.motivo].map(
    oneLine,
  )
  return (
    codes.find((code) => reasonCodePattern.test(code)) ?? codes.find((code) => code !== "") ?? "not_realized"
  )
}

/** GET by idEnvio; a 404 in the partner's own words is its "never heard of it". */
const ask = Effect.fnUntraced(function* (calls: PayoutCalls, asked: Asked, timeoutMillis?: number) {
  const answer = yield* calls.client.call({
    operation: asked.operation,
    method: "GET",
    url: `${calls.rootUrl}/v2/gn/pix/enviados/id-envio/${encodeURIComponent(asked.payoutId)}`,
    isRepeatable: true,
    ...(timeoutMillis === undefined ? {} : { timeoutMillis }),
  })
  if (isOk(answer)) return yield* reportOf(asked, answer)
  const unknown: PayoutReport = { status: "unknown" }
  if (isNotFound(answer)) return unknown
  return yield* unavailable(asked, `answered ${answer.statusCode}`)
})

/** GET /v2/gn/pix/enviados/id-envio/{idEnvio} */
export const queryPayout =
  (calls: PayoutCalls): Acquirer["queryPayout"] =>
  ({ payoutId, amount }) =>
    ask(calls, { operation: "queryPayout", payoutId, amount })

/** PUT /v2/gn/pix/{idEnvio}, sent once and never again from here. */
export const sendPayout = (calls: PayoutCalls): Acquirer["sendPayout"] =>
  Effect.fnUntraced(function* ({ payoutId, amount, pixKey, description }) {
    const asked: Asked = { operation: "sendPayout", payoutId, amount }
    const answer = yield* calls.client.call({
      operation: asked.operation,
      method: "PUT",
      url: `${calls.rootUrl}/v2/gn/pix/${encodeURIComponent(payoutId)}`,
      body: {
        valor: decimalOf(amount),
        pagador: {
          chave: calls.pixKey,
          ...(description === null ? {} : { infoPagador: description }),
        },
        favorecido: { chave: pixKey.value },
      },
      isRepeatable: false,
    })
    if (isOk(answer)) return yield* reportOf(asked, answer)
    const processing: PayoutReport = { status: "processing", askAfterMillis: undefined }
    // The id is known already: the payout is on its way.
    if (answer.statusCode === 409) return processing
    const problem = problemOf(answer.body)
    if (!refusals.has(answer.statusCode) || problem === undefined) {
      return yield* unavailable(asked, `answered ${answer.statusCode}`)
    }
    // Partners also refuse an id that they paid already: only one that they do not know is surely not paid.
    const known = yield* ask(calls, asked, lookUpTimeoutMillis)
    return known.status === "unknown" ? yield* new AcquirerRefused({ reason: problem }) : known
  })
