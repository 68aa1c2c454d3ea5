import { Effect } from "effect"
import {
  type Acquirer,
  AcquirerRefused,
  AcquirerUnavailable,
  type BooksPage,
  type AcquirerBooks as Lists,
  type PaymentReport,
  type PayoutReport,
  type RefundReport,
  type SentPayout,
} from "../../../actors/ports/acquirer.ts"

/** What becomes of a call that moves money: it is done and answered, done but not answered, lost on its way, or refused. */
export type Hearing = "heard" | "unheard" | "lost" | "refused"

/** Money of a Pix that goes back to its payer. */
export interface Back {
  readonly id: string
  readonly amount: number
  readonly kind: "refund" | "chargeback"
  status: "processing" | "done" | "failed"
}

/** A Pix that the partner received. */
export interface Pix {
  readonly endToEndId: string
  /** Undefined where it names no charge. */
  readonly txid: string | undefined
  readonly amount: number
  readonly backs: Array<Back>
}

/** A payout that the partner accepted. */
export interface Payout {
  /** Undefined where it did not go out under an id. */
  readonly payoutId: string | undefined
  readonly endToEndId: string
  /** Centavos that it was asked for. */
  readonly asked: number
  /** Centavos that it pays. */
  amount: number
  status: "processing" | "paid" | "notPaid"
  /** Centavos that came back after it was paid. */
  returned: number
  /** How often the partner has taken back what it said. */
  contradictions: number
}

/** An account at the partner: its books, which a test writes, and the acquirer that answers from them. */
export interface PartnerAccount {
  readonly acquirer: Acquirer
  /** Pix by their end-to-end ids, and those of a charge by its txid. */
  readonly pix: Map<string, Pix>
  readonly payments: Map<string, Array<Pix>>
  readonly payouts: Map<string, Payout>
  /** Refunds that sellers asked for, by our ids of them: of one Pix there may be several. */
  readonly ownRefunds: Set<string>
  /** How often a payout or refund was handed over, by the same ids as `hearings`. */
  readonly sendings: Map<string, number>
  /** How the next calls fare, in order, by the payout's id, a seller's refund's or the end-to-end id of the Pix to give back; then they are heard. */
  readonly hearings: Map<string, Array<Hearing>>
  /** Ids about which the next question is not answered. */
  readonly silent: Set<string>
  /** Every txid, payout's id and end-to-end id that it was asked about or sent. */
  readonly asked: Set<string>
  /** What must not be asked of a partner, by the same ids. */
  readonly faults: Map<string, string>
}

type Books = Omit<PartnerAccount, "acquirer">

/** A Pix as the partner reports it. */
export const reportOf = ({ endToEndId, amount, backs }: Pix): PaymentReport => ({
  ...{ endToEndId, amount },
  refunds: backs.map((back): RefundReport => ({ ...back })),
})

const payoutReport = ({ status, endToEndId, asked, amount, returned }: Payout): PayoutReport => {
  switch (status) {
    case "paid":
      if (amount !== asked) {
        return { status: "otherAmount", amountThere: amount, endToEndId, returnedAmount: returned }
      }
      return { status, endToEndId, ...(returned === 0 ? {} : { returnedAmount: returned }) }
    case "notPaid":
      return { status, reason: "AC03" }
    case "processing":
      return { status, askAfterMillis: undefined }
  }
}

/** A payout as the partner's list shows it. */
export const sentOf = ({ payoutId, endToEndId, amount, status, returned }: Payout): SentPayout => ({
  ...{ payoutId, endToEndId, amount, returnedAmount: returned, sentMillis: undefined },
  status: status === "paid" && returned === amount ? "returned" : status,
  reason: status === "notPaid" ? "AC03" : undefined,
})

/** Pages of two items; the last item of a page is the first of the next, too. */
const pagesOf =
  <A>(items: ReadonlyArray<A>) =>
  (_: unknown, page = "0"): Effect.Effect<BooksPage<A>> => {
    const from = Number(page)
    const next = from + 2 < items.length ? String(from + 1) : undefined
    return Effect.succeed({ items: items.slice(from, from + 2), next })
  }

/** The partner's lists of some of its Pix and payouts. */
export const listsOf = (pix: ReadonlyArray<Pix>, payouts: ReadonlyArray<Payout>): Lists => ({
  listReceived: pagesOf(pix.map((one) => ({ ...reportOf(one), txid: one.txid, receivedMillis: undefined }))),
  listSent: pagesOf(payouts.map(sentOf)),
})

const unheard = (operation: string) => new AcquirerUnavailable({ operation, reason: "no answer" })

/** Does what a call that moves money asks for, as it is to fare; answers what `answer` says then. */
const hear = <A>(
  { hearings, sendings }: Books,
  operation: string,
  id: string,
  act: () => void,
  answer: () => A,
): Effect.Effect<A, AcquirerRefused | AcquirerUnavailable> =>
  Effect.suspend((): Effect.Effect<A, AcquirerRefused | AcquirerUnavailable> => {
    sendings.set(id, (sendings.get(id) ?? 0) + 1)
    const hearing = hearings.get(id)?.shift() ?? "heard"
    if (hearing === "refused") return Effect.fail(new AcquirerRefused({ reason: "refused" }))
    if (hearing !== "lost") act()
    return hearing === "heard" ? Effect.sync(answer) : Effect.fail(unheard(operation))
  })

const payoutCalls = (books: Books): Pick<Acquirer, "sendPayout" | "queryPayout"> => {
  const told = (payoutId: string): PayoutReport => {
    const payout = books.payouts.get(payoutId)
    return payout === undefined ? { status: "unknown" } : payoutReport(payout)
  }
  return {
    sendPayout: ({ payoutId, amount }) => {
      books.asked.add(payoutId)
      if (books.payouts.has(payoutId)) books.faults.set(payoutId, "a payout was sent that the partner has")
      const endToEndId = `S${payoutId}`
      const payout: Payout = {
        ...{ payoutId, endToEndId, asked: amount, amount },
        ...{ status: "processing", returned: 0, contradictions: 0 },
      }
      return hear(
        books,
        "send payout",
        payoutId,
        () => books.payouts.set(payoutId, payout),
        () => told(payoutId),
      )
    },
    queryPayout: ({ payoutId }) =>
      Effect.suspend(() => {
        books.asked.add(payoutId)
        if (books.silent.delete(payoutId)) return Effect.fail(unheard("query payout"))
        return Effect.succeed(told(payoutId))
      }),
  }
}

/** What went back of a Pix, or is on its way. */
const isOut = ({ status }: Back): boolean => status !== "failed"

/** Centavos of a Pix that did not go back. */
export const leftOf = ({ amount, backs }: Pix): number =>
  backs.filter(isOut).reduce((left, back) => left - back.amount, amount)

const refundCalls = (books: Books): Pick<Acquirer, "refund" | "queryRefund"> => {
  const backOf = (endToEndId: string, refundId: string) =>
    books.pix.get(endToEndId)?.backs.find(({ id }) => id === refundId)
  /** The id by which a test says how calls about a refund fare. */
  const nameOf = (endToEndId: string, refundId: string) =>
    books.ownRefunds.has(refundId) ? refundId : endToEndId
  const faultOf = (pix: Pix | undefined, refundId: string): string | undefined => {
    const others = pix?.backs.filter(isOut) ?? []
    if (others.some(({ id }) => id === refundId)) return "a refund was sent that the partner has"
    // Not a seller's: it is of the whole Pix.
    return others.length > 0 && !books.ownRefunds.has(refundId)
      ? "a Pix was to be given back twice"
      : undefined
  }
  return {
    refund: ({ refundId, endToEndId, amount }) => {
      books.asked.add(endToEndId)
      const back: Back = { id: refundId, amount, kind: "refund", status: "processing" }
      const pix = books.pix.get(endToEndId)
      const fault = faultOf(pix, refundId)
      if (fault !== undefined) books.faults.set(endToEndId, fault)
      else if (pix === undefined || leftOf(pix) < amount) {
        return Effect.fail(new AcquirerRefused({ reason: "nothing left" }))
      }
      return hear(
        books,
        "refund",
        nameOf(endToEndId, refundId),
        () => pix?.backs.push(back),
        () => ({ ...back }),
      )
    },
    queryRefund: ({ refundId, endToEndId }) =>
      Effect.suspend(() => {
        books.asked.add(endToEndId)
        if (books.silent.delete(nameOf(endToEndId, refundId))) return Effect.fail(unheard("query refund"))
        const back = backOf(endToEndId, refundId)
        return Effect.succeed(back === undefined ? ({ status: "unknown" } as const) : { ...back })
      }),
  }
}

/** Makes an account without any books yet. Its acquirer answers within the process and sends no notices by itself. */
export const makePartnerAccount = (account: string): PartnerAccount => {
  const books: Books = {
    ...{ pix: new Map(), payments: new Map(), payouts: new Map(), hearings: new Map() },
    ...{ sendings: new Map(), ownRefunds: new Set(), silent: new Set(), asked: new Set(), faults: new Map() },
  }
  const acquirer: Acquirer = {
    ...{ slug: "acquirer", account, isLocal: true },
    createCharge: ({ txid }) =>
      Effect.succeed({ location: `pix.acquirer.test/qr/v2/${txid}`, askAfterMillis: undefined }),
    queryCharge: ({ txid }) =>
      Effect.sync(() => {
        books.asked.add(txid)
        const payments = (books.payments.get(txid) ?? []).map(reportOf)
        return { payments, failure: undefined, askAfterMillis: undefined }
      }),
    cancelCharge: () => Effect.succeed("removed"),
    ...refundCalls(books),
    ...payoutCalls(books),
    // A history sweeps its own part of the books; that the account has any is what the code looks at here.
    books: listsOf([], []),
  }
  return { acquirer, ...books }
}
