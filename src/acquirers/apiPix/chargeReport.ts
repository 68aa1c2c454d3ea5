import type {
  ChargeQuery,
  ChargeReport,
  PaymentReport,
  RefundReport,
} from "../../../actors/ports/acquirer.ts"
import {
  idPattern,
  isWithoutFunds,
  millisOf,
  oneLine,
  type WireCharge,
  type WirePix,
  type WireRefund,
} from "./wire.ts"

/** The query after creation: payers need a while, and notices are faster. What comes later the sweeps find. */
export const firstAskMillis = 30_000

/** The kinds of MED that have a reason of their own (docs/contract/refunds.md#origins). */
const medReasons = ["MED_FRAUDE", "MED_OPERACIONAL", "MED_PIX_AUTOMATICO"] as const

/** A refund as the acquirer reports it; one that the payer's bank takes back (MED) is a chargeback. */
export const refundReport = (refund: WireRefund): RefundReport => {
  const status = refundStatus(refund.status)
  const rtrId = refund.rtrId ?? ""
  return {
    id: refund.id,
    amount: refund.valor,
    kind: refund.natureza?.startsWith("MED_") === true ? "chargeback" : "refund",
    status,
    reason: medReasons.find((reason) => reason === refund.natureza),
    returnId: idPattern.test(rtrId) ? rtrId : undefined,
    settledMillis: status === "done" ? settledMillisOf(refund.horario) : undefined,
    ...(status === "failed" ? failureOf(refund) : {}),
  }
}

/** When a return was settled, or else asked for: BCB has an object of both. */
const settledMillisOf = (horario: unknown): number | undefined => {
  if (typeof horario !== "object" || horario === null) return millisOf(horario)
  const { liquidacao, solicitacao } = horario as Readonly<Record<string, unknown>>
  return millisOf(liquidacao) ?? millisOf(solicitacao)
}

/** A code of ISO 20022, as banks use them: `AM09`. */
const codePattern = /\b[A-Z]{2}\d{2}\b/

/** The code in the acquirer's words, the words, if they say more than the code, and whether they tell of a lack of our money. */
const failureOf = ({
  motivo,
}: WireRefund): Pick<RefundReport, "failureCode" | "failureReason" | "isWithoutFunds"> => {
  const text = oneLine(motivo)
  const failureCode = codePattern.exec(text)?.[0]
  const failureReason = text === "" || text === failureCode ? undefined : text
  return { failureCode, failureReason, ...(isWithoutFunds([text]) ? { isWithoutFunds: true } : {}) }
}

const refundStatus = (status: string): RefundReport["status"] => {
  if (status === "DEVOLVIDO") return "done"
  // An unknown state is not final (docs/architecture.md#rule-7).
  return status === "NAO_REALIZADO" ? "failed" : "processing"
}

/** Merges two reports of a refund: a settled one stands, else the later one. */
const laterRefund = (earlier: RefundReport | undefined, later: RefundReport): RefundReport =>
  earlier !== undefined && later.status === "processing" ? earlier : later

/**
 * One payment per transfer, however often it is listed. Lists lag behind each other, so a refund counts if any list
 * has it.
 */
export const mergePayments = (transfers: ReadonlyArray<WirePix>): ReadonlyArray<PaymentReport> => {
  const payments = new Map<string, { readonly amount: number; readonly refunds: Map<string, RefundReport> }>()
  for (const { endToEndId, valor, devolucoes } of transfers) {
    const payment = payments.get(endToEndId) ?? { amount: valor, refunds: new Map() }
    payments.set(endToEndId, payment)
    for (const refund of devolucoes ?? []) {
      payment.refunds.set(refund.id, laterRefund(payment.refunds.get(refund.id), refundReport(refund)))
    }
  }
  return [...payments].map(([endToEndId, { amount, refunds }]) => ({
    endToEndId,
    amount,
    refunds: [...refunds.values()],
  }))
}

/**
 * Where answers about a charge contradict one another: one transfer, or one return of it, with two amounts. Neither is believed then:
 * amounts never change, so one of them is of something else. Undefined where they agree.
 */
export const contradictionOf = (transfers: ReadonlyArray<WirePix>): string | undefined => {
  const amounts = new Map<string, number>()
  for (const { endToEndId, valor, devolucoes } of transfers) {
    const facts = [
      [endToEndId, valor] as const,
      ...(devolucoes ?? []).map((back) => [`return ${back.id} of ${endToEndId}`, back.valor] as const),
    ]
    for (const [of, amount] of facts) {
      const known = amounts.get(of) ?? amount
      if (known !== amount) return `answered with two amounts of ${of}: ${known} and ${amount} centavos`
      amounts.set(of, amount)
    }
  }
  return undefined
}

/** The transfers that a charge lists as its own. */
export const listedTransfers = (txid: string, charge: WireCharge | undefined): ReadonlyArray<WirePix> =>
  (charge?.pix ?? []).filter((pix) => (pix.txid ?? txid) === txid)

/**
 * Combines the acquirer's answers: the charge, if known there, and the transfers to it. It asks for no further query: what comes
 * later is in the acquirer's books, which sweeps read. Its transfers are reported as they are, whatever the charge's status says:
 * `CONCLUIDA` pays nothing by itself, and is told where no transfer is named. A charge of another amount is not the one that we made, so its removal ends nothing here.
 */
export const chargeReport = (
  query: ChargeQuery,
  charge: WireCharge | undefined,
  transfers: ReadonlyArray<WirePix>,
): ChargeReport => {
  const payments = mergePayments([...listedTransfers(query.txid, charge), ...transfers])
  const isOurs = charge?.valor.original === query.amount
  const isRemoved = isOurs && charge.status === "REMOVIDA_PELO_PSP" && payments.length === 0
  const failure = isRemoved && query.status === "pending" ? removed(charge) : undefined
  const isConcluded = charge?.status === "CONCLUIDA" && payments.length === 0
  return { payments, failure, ...(isConcluded ? { isConcluded } : {}), askAfterMillis: undefined }
}

const removed = (charge: WireCharge): string => oneLine(`the acquirer removed the charge (${charge.status})`)
