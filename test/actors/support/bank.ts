import { Clock, Effect } from "effect"
import {
  type Acquirer,
  AcquirerRefused,
  AcquirerUnavailable,
  type PayoutReport,
  type PayoutRequest,
} from "../../../actors/ports/acquirer.ts"
import { silentPartner } from "./partner.ts"

type Sent = Effect.Effect<PayoutReport, AcquirerRefused | AcquirerUnavailable>

export const processing: PayoutReport = { status: "processing", askAfterMillis: undefined }
export const paid: PayoutReport = { status: "paid", endToEndId: "E-of-the-bank" }
export const notPaid: PayoutReport = { status: "notPaid", reason: "AC03" }
export const unknown: PayoutReport = { status: "unknown" }
export const refused = new AcquirerRefused({ reason: "no such key" })
export const away = new AcquirerUnavailable({ operation: "payout", reason: "the connection was cut" })

/** How a bank takes payouts: each call's number, from 0, is given. */
export interface BankScript {
  readonly send?: (call: number, request: PayoutRequest) => Sent
  readonly query?: (call: number) => Effect.Effect<PayoutReport, AcquirerUnavailable>
}

/** A partner elsewhere that takes payouts as the test says, and writes down when it was called. */
export const makeBank = (script: BankScript) => {
  const { send = () => Effect.succeed(processing), query = () => Effect.succeed(processing) } = script
  const sent: Array<PayoutRequest & { readonly atMillis: number }> = []
  const askedAtMillis: Array<number> = []
  const askedFor = new Set<string>()
  const acquirer: Acquirer = {
    ...silentPartner,
    sendPayout: (request) =>
      Effect.flatMap(Clock.currentTimeMillis, (atMillis) => {
        sent.push({ ...request, atMillis })
        return send(sent.length - 1, request)
      }),
    queryPayout: ({ payoutId }) =>
      Effect.flatMap(Clock.currentTimeMillis, (atMillis) => {
        askedFor.add(payoutId)
        askedAtMillis.push(atMillis)
        return query(askedAtMillis.length - 1)
      }),
  }
  return { acquirer, sent, askedAtMillis, askedFor }
}
