import { Effect } from "effect"
import {
  type Acquirer,
  AcquirerRefused,
  AcquirerUnavailable,
  type PayoutReport,
} from "../../../actors/ports/acquirer.ts"
import { decimalOf } from "./amounts.ts"
import type { PayoutForm } from "./bankProfiles.ts"
import { type Answer, type ApiPixClient, lookUpTimeoutMillis } from "./client.ts"
import {
  isNotFound,
  isProblemWithoutFunds,
  isWithoutFunds,
  oneLine,
  problemOf,
  readBody,
  WirePayout,
} from "./wire.ts"

/** What payout calls need. */
export interface PayoutCalls {
  readonly client: ApiPixClient
  /** Where `/v3/gn/pix` is, without a trailing slash. */
  readonly rootUrl: string
  /** The PIX key that pays. */
  readonly pixKey: string
  readonly form: PayoutForm
}

/** Efí's payouts of both versions differ in their path alone (docs/partner.md#efi). */
const sendingPaths = { "efi-v3": "/v3/gn/pix", "efi-v2": "/v2/gn/pix" } as const satisfies Readonly<
  Record<Exclude<PayoutForm, "manual">, string>
>

/** Status codes that may refuse a payout; the body must say why. */
const refusals: ReadonlySet<number> = new Set([400, 403, 404, 410, 422])

/** Usual codes look like `AC03`; anything longer is a sentence. */
const reasonCodePattern = /^[A-Za-z0-9_.-]{1,64}$/

const readPayout = readBody(WirePayout)

const isOk = ({ statusCode }: Answer): boolean => statusCode >= 200 && statusCode < 300

/** The operation and the payout it is about. */
interface Asked {
  readonly operation: "sendPayout" | "queryPayout"
  readonly payoutId: string
  readonly amount: number
}

const unavailable = ({ operation }: Asked, reason: string) => new AcquirerUnavailable({ operation, reason })

/**
 * The acquirer's report on our payout; one with another amount is never believed. Where we asked, and it has paid another amount under
 * our id, it is told as what it is.
 */
const reportOf = Effect.fnUntraced(function* (asked: Asked, answer: Answer) {
  const payout = yield* readPayout(asked.operation, answer)
  if ((payout.idEnvio ?? asked.payoutId) !== asked.payoutId) {
    return yield* unavailable(asked, "answered with another payout")
  }
  if (payout.valor !== asked.amount) {
    const isPaid = payout.status === "REALIZADO" || payout.status === "DEVOLVIDO"
    if (asked.operation !== "queryPayout" || !isPaid) {
      return yield* unavailable(asked, "answered with another amount")
    }
    const other: PayoutReport = {
      status: "otherAmount",
      amountThere: payout.valor,
      returnedAmount: returnedAmountOf(payout),
      endToEndId: payout.endToEndId ?? payout.e2eId ?? undefined,
    }
    return other
  }
  const report: PayoutReport | undefined = byStatus(payout)
  return report ?? (yield* unavailable(asked, "says that it paid, but not by which transfer"))
})

/** Centavos of a payout that came back after it was paid: all of it, or what its returns add up to. */
export const returnedAmountOf = ({ status, valor, devolucoes }: WirePayout): number => {
  if (status === "DEVOLVIDO") return valor
  const done = (devolucoes ?? []).filter((back) => back.status === "DEVOLVIDO")
  return Math.min(
    valor,
    done.reduce((sum, back) => sum + back.valor, 0),
  )
}

const byStatus = (payout: WirePayout): PayoutReport | undefined => {
  const endToEndId = payout.endToEndId ?? payout.e2eId
  switch (payout.status) {
    case "REALIZADO":
    case "DEVOLVIDO": {
      if (typeof endToEndId !== "string") return undefined
      const returnedAmount = returnedAmountOf(payout)
      return { status: "paid", endToEndId, ...(returnedAmount === 0 ? {} : { returnedAmount }) }
    }
    case "NAO_REALIZADO":
      return {
        status: "notPaid",
        reason: reasonOf(payout),
        ...(isWithoutFunds(reasonsOf(payout)) ? { isWithoutFunds: true } : {}),
      }
    default:
      // An unknown state is not final (docs/architecture.md#rule-7).
      return { status: "processing", askAfterMillis: undefined }
  }
}

/** The acquirer's codes and words about a payout that it did not make. */
const reasonsOf = ({ erro, gnExtras, motivo }: WirePayout): ReadonlyArray<string> =>
  [erro?.codigo, gnExtras?.erro?.codigo, motivo, erro?.motivo, gnExtras?.erro?.motivo].map(oneLine)

/** The acquirer's reason code, or else its text. */
export const reasonOf = (payout: WirePayout): string => {
  const codes = reasonsOf(payout)
  return (
    codes.find((code) => reasonCodePattern.test(code)) ?? codes.find((code) => code !== "") ?? "not_realized"
  )
}

/** The field of `favorecido` that makes the acquirer compare the key's holder: a CPF has 11 characters, a CNPJ 14. */
const holderOf = (document: string | undefined) => {
  if (document === undefined) return {}
  return document.length === 11 ? { cpf: document } : { cnpj: document }
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

/** Neither sent nor refused: whoever asks does not know that operators pay by hand. */
const byHand = (asked: Asked) => unavailable(asked, "operators make payouts in the bank's own application")

/** GET /v2/gn/pix/enviados/id-envio/{idEnvio} */
export const queryPayout =
  (calls: PayoutCalls): Acquirer["queryPayout"] =>
  ({ payoutId, amount }) => {
    const asked: Asked = { operation: "queryPayout", payoutId, amount }
    return calls.form === "manual" ? Effect.fail(byHand(asked)) : ask(calls, asked)
  }

/** PUT /v3/gn/pix/{idEnvio} or /v2, sent once (docs/decisions/0047-payouts-are-sent-once.md). */
export const sendPayout = (calls: PayoutCalls): Acquirer["sendPayout"] =>
  Effect.fnUntraced(function* ({ payoutId, amount, pixKey, holderDocument, description }) {
    const asked: Asked = { operation: "sendPayout", payoutId, amount }
    if (calls.form === "manual") return yield* byHand(asked)
    const answer = yield* calls.client.call({
      operation: asked.operation,
      method: "PUT",
      url: `${calls.rootUrl}${sendingPaths[calls.form]}/${encodeURIComponent(payoutId)}`,
      body: {
        valor: decimalOf(amount),
        pagador: {
          chave: calls.pixKey,
          ...(description === null ? {} : { infoPagador: description }),
        },
        favorecido: { chave: pixKey.value, ...holderOf(holderDocument) },
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
    if (known.status !== "unknown") return known
    const isForNow = isProblemWithoutFunds(answer.body)
    return yield* new AcquirerRefused({ reason: problem, ...(isForNow ? { isWithoutFunds: true } : {}) })
  })
