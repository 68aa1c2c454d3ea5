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

/** What payout calls need. */
export interface PayoutCalls {
  readonly client: ApiPixClient
  /** Where `/v2/gn/pix` is, without a trailing slash. */
  readonly rootUrl: string
  /** The PIX key that pays. */
  readonly pixKey: string
}

/** Status codes that may refuse a payout; the body must say why. */
const refusals: ReadonlySet<number> = new Set([400, 403, 404, 422])

/** Usual codes look like `AC03`; anything longer is a sentence. */
const reasonCodePattern = /^[A-Za-z0-9_.-]{1,64}$/

const readPayout = readBody(WirePayout)

const isOk = ({ statusCode }: Answer): boolean => statusCode >= 200 && statusCode < 300

/** The operation and the payout it is about. */
interface Asked {
  readonly operation: string
  readonly payoutId: string
  readonly amount: number
}

const unavailable = ({ operation }: Asked, reason: string) => new AcquirerUnavailable({ operation, reason })

/** The acquirer's report on our payout; one with another amount is never believed. */
const reportOf = Effect.fnUntraced(function* (asked: Asked, answer: Answer) {
  const payout = yield* readPayout(asked.operation, answer)
  if ((payout.idEnvio ?? asked.payoutId) !== asked.payoutId) {
    return yield* unavailable(asked, "answered with another payout")
  }
  if (payout.valor !== asked.amount) return yield* unavailable(asked, "answered with another amount")
  const report: PayoutReport | undefined = byStatus(payout)
  return report ?? (yield* unavailable(asked, "says that it paid, but not by which transfer"))
})

const byStatus = (payout: WirePayout): PayoutReport | undefined => {
  const endToEndId = payout.endToEndId ?? payout.e2eId
  switch (payout.status) {
    case "REALIZADO":
      return typeof endToEndId === "string" ? { status: "paid", endToEndId } : undefined
    case "NAO_REALIZADO":
      return { status: "notPaid", reason: reasonOf(payout) }
    default:
      // An unknown state is not final (docs/architecture.md#rule-7).
      return { status: "processing", askAfterMillis: undefined }
  }
}

/** The acquirer's reason code, or else its text. */
const reasonOf = ({ erro, gnExtras, motivo }: WirePayout): string => {
  const codes = [erro?.codigo, gnExtras?.erro?.codigo, motivo, erro?.motivo, gnExtras?.erro?.motivo].map(
    oneLine,
  )
  return (
    codes.find((code) => reasonCodePattern.test(code)) ?? codes.find((code) => code !== "") ?? "not_realized"
  )
}

/** GET by idEnvio; a 404 of the acquirer's own means that it does not know the payout. */
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

/** PUT /v2/gn/pix/{idEnvio}, sent once and never repeated here (docs/decisions/0047-payouts-are-sent-once.md). */
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
    // The acquirer knows the id already: the payout is on its way.
    if (answer.statusCode === 409) return processing
    const problem = problemOf(answer.body)
    if (!refusals.has(answer.statusCode) || problem === undefined) {
      return yield* unavailable(asked, `answered ${answer.statusCode}`)
    }
    // Acquirers also refuse an id that they have paid; only an unknown id is certainly unpaid.
    const known = yield* ask(calls, asked, lookUpTimeoutMillis)
    return known.status === "unknown" ? yield* new AcquirerRefused({ reason: problem }) : known
  })
