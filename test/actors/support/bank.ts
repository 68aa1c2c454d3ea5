import { Clock, Effect } from "effect"
import {
  type Acquirer,
  AcquirerRefused,
  AcquirerUnavailable,
  type BooksWindow,
  type PayoutReport,
  type PayoutRequest,
  type SentPayout,
} from "../../../actors/ports/acquirer.ts"
import { silentAcquirer } from "./acquirer.ts"

type Sent = Effect.Effect<PayoutReport, AcquirerRefused | AcquirerUnavailable>

export const processing: PayoutReport = { status: "processing", askAfterMillis: undefined }
export const paid: PayoutReport = { status: "paid", endToEndId: "E-of-the-bank" }
export const notPaid: PayoutReport = { status: "notPaid", reason: "AC03" }
export const unknown: PayoutReport = { status: "unknown" }
export const refused = new AcquirerRefused({ reason: "no such key" })
export const away = new AcquirerUnavailable({ operation: "payout", reason: "the connection was cut" })

/** How a bank responds to payouts and queries; `call` is the number of the call, from 0. */
export interface BankScript {
  readonly send?: (call: number, request: PayoutRequest) => Sent
  readonly query?: (call: number) => Effect.Effect<PayoutReport, AcquirerUnavailable>
  /** Its list of sent payouts, in one page; left out, the bank has no lists. */
  readonly list?: (window: BooksWindow) => Effect.Effect<ReadonlyArray<SentPayout>, AcquirerUnavailable>
}

/** A remote acquirer that responds to payouts as scripted and records when it was called. */
export const makeBank = (script: BankScript) => {
  const { send = () => Effect.succeed(processing), query = () => Effect.succeed(processing) } = script
  const sent: Array<PayoutRequest & { readonly atMillis: number }> = []
  const askedAtMillis: Array<number> = []
  const askedFor = new Set<string>()
  const { list } = script
  const books = list && {
    listReceived: () => Effect.succeed({ items: [], next: undefined }),
    listSent: (window: BooksWindow) => Effect.map(list(window), (items) => ({ items, next: undefined })),
  }
  const acquirer: Acquirer = {
    ...silentAcquirer,
    ...(books === undefined ? {} : { books }),
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
