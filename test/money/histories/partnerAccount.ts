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

/** Which of the partner's answers does not have something yet: its lists, or its queries of single things. */
export type Lag = "list" | "query"

/** Something that one of the partner's answers does not have. */
export interface Hidden {
  readonly from: Lag
  /** Whether that is so to the end of the history. */
  readonly isForGood: boolean
}

/** Money of a Pix that goes back to its payer. */
export interface Back {
  readonly id: string
  readonly amount: number
  readonly kind: "refund" | "chargeback"
  status: "processing" | "done" | "failed"
  hidden?: Hidden | undefined
  /** Whether we asked for it. */
  readonly isOurs?: true
}

/** A Pix that the partner received. */
export interface Pix {
  readonly endToEndId: string
  /** Undefined where it names no charge. */
  readonly txid: string | undefined
  readonly amount: number
  readonly backs: Array<Back>
  hidden?: Hidden | undefined
  /** Whether its item in the list has no txid, and who says it then besides its charge: the query of the Pix, or nobody. */
  readonly nameless?: "query" | "nobody" | undefined
}

/** What the query of a payout, or the list, says instead of what the other does; `opposite` only of one that has ended. */
export type PayoutLag =
  | {
      readonly from: "query"
      readonly word: "unknown" | "processing" | "silent" | "opposite"
      readonly isForGood: boolean
    }
  | { readonly from: "list"; readonly word: "absent" | "processing"; readonly isForGood: false }

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
  lag?: PayoutLag | undefined
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
  /** Ids that may be sent although the partner has them: a restored backup has forgotten that they were. It answers as it did. */
  readonly known: Set<string>
  /** What must not be asked of a partner, by the same ids. */
  readonly faults: Map<string, string>
}

type Books = Omit<PartnerAccount, "acquirer">

/** Whether one of the partner's answers has something. */
export const isShownBy =
  (lag: Lag) =>
  ({ hidden }: { readonly hidden?: Hidden | undefined }): boolean =>
    hidden?.from !== lag

/** A Pix as the partner reports it. */
const reportOf = ({ endToEndId, amount, backs }: Pix, by: Lag): PaymentReport => ({
  ...{ endToEndId, amount },
  refunds: backs
    .filter(isShownBy(by))
    .map(({ id, amount, kind, status }): RefundReport => ({ id, amount, kind, status })),
})

/** A Pix as the partner's list shows it. */
const receivedOf = (pix: Pix) => ({
  ...reportOf(pix, "list"),
  txid: pix.nameless === undefined ? pix.txid : undefined,
  receivedMillis: undefined,
})

/** What the query says of a payout, which need not be what became of it. */
const askedOf = (payout: Payout): Payout | undefined => {
  const { lag, status } = payout
  if (lag?.from !== "query" || lag.word === "silent") return payout
  if (lag.word === "unknown") return undefined
  if (lag.word === "processing") return { ...payout, status: "processing" }
  if (status === "processing") return payout
  return { ...payout, status: status === "paid" ? "notPaid" : "paid" }
}

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

/** Payouts as the partner's list shows them. */
const sentOf = (payouts: Iterable<Payout>): ReadonlyArray<SentPayout> =>
  [...payouts].flatMap(({ payoutId, endToEndId, amount, returned, lag, ...payout }) => {
    const word = lag?.from === "list" ? lag.word : undefined
    if (word === "absent") return []
    const status = word ?? payout.status
    return {
      ...{ payoutId, endToEndId, amount, sentMillis: undefined },
      returnedAmount: status === "paid" ? returned : 0,
      status: status === "paid" && returned === amount ? "returned" : status,
      reason: status === "notPaid" ? "AC03" : undefined,
    }
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
  listReceived: pagesOf(pix.filter(isShownBy("list")).map(receivedOf)),
  listSent: pagesOf(sentOf(payouts)),
})

/** The books that are asked about a single payout: all of it on one page. */
const wholeBooks = ({ payouts }: Books): Lists => ({
  listReceived: pagesOf([]),
  listSent: () => Effect.sync(() => ({ items: sentOf(payouts.values()), next: undefined })),
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
    const sent = books.payouts.get(payoutId)
    const payout = sent && askedOf(sent)
    return payout === undefined ? { status: "unknown" } : payoutReport(payout)
  }
  return {
    sendPayout: ({ payoutId, amount }) => {
      books.asked.add(payoutId)
      if (books.payouts.has(payoutId)) {
        if (books.known.has(payoutId)) return Effect.sync(() => told(payoutId))
        books.faults.set(payoutId, "a payout was sent that the partner has")
      }
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
        const lag = books.payouts.get(payoutId)?.lag
        const isSilent = lag?.from === "query" && lag.word === "silent"
        if (books.silent.delete(payoutId) || isSilent) return Effect.fail(unheard("query payout"))
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
    const isAgain = others.some(({ id, isOurs }) => isOurs === true && !books.ownRefunds.has(id))
    return isAgain && !books.ownRefunds.has(refundId) ? "a Pix was to be given back twice" : undefined
  }
  return {
    refund: ({ refundId, endToEndId, amount }) => {
      books.asked.add(endToEndId)
      const back: Back = { id: refundId, amount, kind: "refund", status: "processing", isOurs: true }
      const pix = books.pix.get(endToEndId)
      const had = backOf(endToEndId, refundId)
      if (had !== undefined && books.known.has(nameOf(endToEndId, refundId))) {
        return Effect.sync(() => ({ ...had }))
      }
      // What a restored backup forgot is nobody's fault: where nothing is left, it is refused.
      const fault = books.known.has(endToEndId) ? undefined : faultOf(pix, refundId)
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
    ...{
      sendings: new Map(),
      ownRefunds: new Set(),
      silent: new Set(),
      asked: new Set(),
      known: new Set(),
      faults: new Map(),
    },
  }
  const acquirer: Acquirer = {
    ...{ slug: "acquirer", account, isLocal: true },
    createCharge: ({ txid }) =>
      Effect.succeed({ location: `pix.acquirer.test/qr/v2/${txid}`, askAfterMillis: undefined }),
    queryCharge: ({ txid }) =>
      Effect.sync(() => {
        books.asked.add(txid)
        const shown = (books.payments.get(txid) ?? []).filter(isShownBy("query"))
        const payments = shown.map((pix) => reportOf(pix, "query"))
        return { payments, failure: undefined, askAfterMillis: undefined }
      }),
    cancelCharge: () => Effect.succeed("removed"),
    ...refundCalls(books),
    ...payoutCalls(books),
    queryPix: (endToEndId) =>
      Effect.sync(() => {
        books.asked.add(endToEndId)
        const pix = books.pix.get(endToEndId)
        if (pix === undefined || !isShownBy("query")(pix)) return undefined
        const txid = pix.nameless === "nobody" ? undefined : pix.txid
        return { ...reportOf(pix, "query"), txid, receivedMillis: undefined }
      }),
    // A history sweeps its own part of the books.
    books: wholeBooks(books),
  }
  return { acquirer, ...books }
}
