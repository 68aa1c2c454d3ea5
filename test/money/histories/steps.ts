import fc from "fast-check"
import type { Hearing, PayoutLag } from "./partnerAccount.ts"

/** The price of a history's charges. */
export const price = 10_000

/** Chooses among what there is, the newest first. */
const nth = fc.nat(1_000)

/** How a notice arrives: up to five times or never, in any order, perhaps with a wrongly signed copy beside it. */
const delivery = fc.record({
  times: fc.integer({ min: 0, max: 5 }),
  isForged: fc.boolean(),
  place: nth,
})
export type Delivery = typeof delivery extends fc.Arbitrary<infer D> ? D : never

type Hearings = ReadonlyArray<Hearing>
const hearing = fc.constantFrom("heard" as const, "unheard" as const, "lost" as const, "refused" as const)
const hearings: fc.Arbitrary<Hearings> = fc.array(hearing, { maxLength: 3 })

/** Mostly nothing. */
const rarely = <A>(arbitrary: fc.Arbitrary<A>): fc.Arbitrary<A | undefined> =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary })

/** What one of the partner's answers does not have, for a while or for good; of most things both have all. */
const hiding = fc.record({
  from: fc.constantFrom("query" as const, "query" as const, "list" as const),
  isForGood: fc.constantFrom(true, false, false),
})
export type Hiding = typeof hiding extends fc.Arbitrary<infer H> ? H : never

const transfer = fc.record({
  ...{ kind: fc.constant("transfer" as const), nth, delivery },
  hiding: rarely(hiding),
  nameless: rarely(fc.constantFrom("query" as const, "nobody" as const)),
  amount: fc.oneof({ weight: 3, arbitrary: fc.constant(price) }, fc.constantFrom(1, 9_999, 10_001)),
})
const giveBack = fc.record({
  ...{ kind: fc.constant("giveBack" as const), nth, delivery },
  hiding: rarely(hiding),
  /** Of a Pix that paid no charge. */
  isOfOther: fc.constantFrom(false, false, true),
  amount: fc.constantFrom(1, 2_500, 5_000, price),
  how: fc.constantFrom("refund" as const, "chargeback" as const),
  // Payers' banks may take back what had gone back already.
  isBeyond: fc.constantFrom(false, false, true),
})
/** A Pix that names no charge; nobody sends notices of it. */
const stranger = fc.record({
  kind: fc.constant("stranger" as const),
  amount: fc.integer({ min: 1, max: price }),
})
const withdrawal = fc.record({
  ...{ kind: fc.constant("withdrawal" as const), hearings },
  isSentAtOnce: fc.constantFrom(true, true, true, false),
  amount: fc.constantFrom(100, 1_000, 2_000),
})
/** The seller refunds a charge, in part or all that is left of it. */
const refund = fc.record({
  ...{ kind: fc.constant("refund" as const), nth, hearings },
  isSentAtOnce: fc.constantFrom(true, true, false),
  amount: fc.constantFrom(1, 2_500, 5_000, undefined),
})
/** The partner ends a payout or a refund of ours; a payout perhaps with some centavos more, or less, than we asked for. */
const verdict = fc.record({
  ...{ kind: fc.constant("verdict" as const), nth, delivery },
  more: fc.constantFrom(0, 0, 0, 0, 0, 0, 700, -50),
  isDone: fc.constantFrom(true, true, false),
})
/** It takes back what it said of a payout. */
const contradiction = fc.record({ kind: fc.constant("contradiction" as const), nth, delivery })
/** A payout that was made comes back, in part or all that is left of it. */
const comeBack = fc.record({
  ...{ kind: fc.constant("comeBack" as const), nth },
  part: fc.constantFrom(1, 50, price),
})
/** A payout that nobody here asked for. */
const strangePayout = fc.record({
  ...{ kind: fc.constant("strangePayout" as const), hasId: fc.boolean() },
  amount: fc.integer({ min: 1, max: price }),
})
/** The query of a charge names the Pix of another, too; nobody sends notices of that. */
const twoNames = fc.record({ kind: fc.constant("twoNames" as const), nth })
const lag: fc.Arbitrary<PayoutLag> = fc.oneof(
  fc.record({
    from: fc.constant("query" as const),
    word: fc.constantFrom("unknown" as const, "processing" as const, "silent" as const, "opposite" as const),
    isForGood: fc.constantFrom(true, false, false),
  }),
  fc.record({
    ...{ from: fc.constant("list" as const), isForGood: fc.constant(false as const) },
    word: fc.constantFrom("absent" as const, "processing" as const),
  }),
)
/** List and query tell a payout differently. */
const disagreement = fc.record({ kind: fc.constant("disagreement" as const), nth, lag })
const agreement = fc.record({ kind: fc.constant("agreement" as const) })
const expiry = fc.record({ kind: fc.constant("expiry" as const), nth })
/** Timers fire, after 2 s, a minute or an hour and more; the partner may not answer about one payout or refund. */
const timers = fc.record({
  ...{ kind: fc.constant("timers" as const), silentNth: fc.option(nth, { nil: undefined, freq: 3 }) },
  afterMillis: fc.constantFrom(2_000, 61_000, 3_700_000),
})
const notices = fc.record({ kind: fc.constant("notices" as const) })
const sweep = fc.record({ kind: fc.constant("sweep" as const) })
/** Some sweeps, so long that what no query confirms is an exception. */
const hours = fc.record({ kind: fc.constant("hours" as const) })
/** The other account is configured from now on. */
const change = fc.record({ kind: fc.constant("change" as const) })
/** Whether the operators act though the bank says nothing. */
const isBold = fc.boolean()
const operator = fc.record({ kind: fc.constant("operator" as const), nth, actNth: nth, hearings, isBold })
/** A day ends. */
const night = fc.record({ kind: fc.constant("night" as const) })

const step = fc.oneof(
  { weight: 6, arbitrary: transfer },
  { weight: 5, arbitrary: giveBack },
  { weight: 2, arbitrary: stranger },
  { weight: 3, arbitrary: withdrawal },
  { weight: 2, arbitrary: refund },
  { weight: 3, arbitrary: verdict },
  { weight: 1, arbitrary: contradiction },
  { weight: 1, arbitrary: comeBack },
  { weight: 1, arbitrary: strangePayout },
  { weight: 1, arbitrary: expiry },
  { weight: 3, arbitrary: timers },
  { weight: 3, arbitrary: notices },
  { weight: 3, arbitrary: sweep },
  { weight: 2, arbitrary: change },
  { weight: 3, arbitrary: operator },
  { weight: 2, arbitrary: night },
  { weight: 1, arbitrary: twoNames },
  { weight: 2, arbitrary: disagreement },
  { weight: 1, arbitrary: agreement },
  { weight: 2, arbitrary: hours },
)

/** What happens in a history; `nth` chooses among what there is then, and does nothing where there is none. */
export type Step =
  typeof step extends fc.Arbitrary<infer S> ? S | { readonly kind: "backup" | "restore" } : never

/** We hear of something. */
const news = fc.oneof<fc.Arbitrary<Step>[]>(timers, notices, sweep, sweep)
const turn = fc.oneof<fc.Arbitrary<Step>[]>(contradiction, comeBack)

/** An operator moves the money of the newest exception, or mostly does. */
const booking = fc.record({
  ...{ kind: fc.constant("operator" as const), nth: fc.constant(0), hearings, isBold },
  // The acts that move money stand before `dismiss`.
  actNth: fc.constantFrom(1, 1, 1, 0),
})
/** The partner contradicts itself, we hear of it, and an operator acts on what came of it. */
const turnedDown = [contradiction, sweep, booking]

/** Steps in their order, of which some do not happen. */
const story = (...steps: ReadonlyArray<fc.Arbitrary<Step>>): fc.Arbitrary<ReadonlyArray<Step>> =>
  fc
    .tuple(...steps.map((one) => fc.option(one, { nil: undefined, freq: 8 })))
    .map((found) => found.filter((one) => one !== undefined))

/** Steps in their order, all of which happen. */
const whole = (...steps: ReadonlyArray<fc.Arbitrary<Step>>): fc.Arbitrary<ReadonlyArray<Step>> =>
  fc.tuple(...steps)

/** The newest of what there is. */
const newest = fc.constant(0)
const allHeard = fc.constant<Hearings>([])
/** A withdrawal that leaves at once; its payout is heard of when the partner has ended it. */
const sent = fc.record({
  ...{ kind: fc.constant("withdrawal" as const), hearings: allHeard },
  isSentAtOnce: fc.constant(true),
  amount: fc.constantFrom(1_000, 2_000),
})
/** So long that a payout without an end is stuck. */
const anHour = fc.record({
  ...{ kind: fc.constant("timers" as const), silentNth: fc.constant(undefined) },
  afterMillis: fc.constant(3_700_000),
})
const decided = (more: 0 | 700, isDone: fc.Arbitrary<boolean>) =>
  fc.record({ kind: fc.constant("verdict" as const), nth: newest, delivery, more: fc.constant(more), isDone })
const paidWith = (more: 0 | 700) => decided(more, fc.constant(true))
const opposite = fc.record({ kind: fc.constant("contradiction" as const), nth: newest, delivery })
const whollyBack = fc.record({
  ...{ kind: fc.constant("comeBack" as const), nth: newest, part: fc.constant(price) },
})
/** An operator settles, debits or books as returned what the newest exception is about. */
const act = fc.record({
  ...{ kind: fc.constant("operator" as const), nth: newest, actNth: fc.constant(1), hearings, isBold },
})
/** The older of a history's two charges, which is paid when it begins. */
const paidOne = fc.constant(1)
const allOfIt = (isBeyond: boolean) =>
  fc.record({
    ...{ kind: fc.constant("giveBack" as const), nth: paidOne, delivery },
    ...{ hiding: fc.constant(undefined), isOfOther: fc.constant(false) },
    amount: fc.constant(price),
    how: fc.constantFrom("refund" as const, "chargeback" as const),
    isBeyond: fc.constant(isBeyond),
  })

const ownRefundHeard = (heard: Hearings) =>
  fc.record({
    ...{ kind: fc.constant("refund" as const), nth: paidOne, hearings: fc.constant(heard) },
    isSentAtOnce: fc.constant(true),
    amount: fc.constantFrom(1, 2_500),
  })
const ownRefund = ownRefundHeard([])

/** A Pix for the `nth` newest charge, and what of it is not shown. */
const pix = (
  nth: number,
  { hiding, nameless }: Partial<Pick<Extract<Step, { kind: "transfer" }>, "hiding" | "nameless">> = {},
) =>
  fc.record({
    ...{
      kind: fc.constant("transfer" as const),
      nth: fc.constant(nth),
      amount: fc.constant(price),
      delivery,
    },
    ...{ hiding: fc.constant(hiding), nameless: fc.constant(nameless) },
  })
const fromQuery = { from: "query", isForGood: false } as const
/** What only the charge's query names, and that not yet. */
const unnamed = { hiding: fromQuery, nameless: "nobody" } as const
/** The bank takes back some of the newest Pix that paid no charge, or of the one that paid the older charge. */
const takenBack = (isOfOther: boolean, hiding?: Hiding) =>
  fc.record({
    ...{ kind: fc.constant("giveBack" as const), nth: isOfOther ? newest : paidOne, delivery },
    ...{ hiding: fc.constant(hiding), isOfOther: fc.constant(isOfOther), isBeyond: fc.constant(false) },
    amount: fc.constantFrom(1, 2_500, price),
    how: fc.constant("chargeback" as const),
  })
/** An operator's act on the `nth` newest exception, counted from the last of those that its kind has. */
const acts = (nth: number, actNth: number, heard: Hearings = []) =>
  fc.record({
    ...{ kind: fc.constant("operator" as const), nth: fc.constant(nth), actNth: fc.constant(actNth) },
    ...{ hearings: fc.constant(heard), isBold: fc.constant<boolean>(true) },
  })
const [dismissOrFail, debitOrRefund, credit] = [0, 1, 2]
const settle = 1
const after = (afterMillis: 2_000 | 61_000) =>
  fc.record({
    ...{ kind: fc.constant("timers" as const), silentNth: fc.constant(undefined) },
    afterMillis: fc.constant(afterMillis),
  })

const unnoticed = pix(0, { nameless: "nobody" }).map((one) => ({
  ...one,
  delivery: { times: 0, isForged: false, place: 0 },
}))

/** What the bank takes back of payments that were credited, or may be, and one Pix of two charges. */
const returnStories = [
  whole(unnoticed, sweep, anHour),
  whole(pix(1), sweep, acts(0, credit), takenBack(true), sweep, acts(0, debitOrRefund)),
  whole(pix(1), sweep, takenBack(true), sweep, acts(1, credit), acts(0, debitOrRefund)),
  whole(stranger, sweep, acts(0, credit), takenBack(true), sweep, acts(0, debitOrRefund)),
  whole(twoNames, anHour, takenBack(false), sweep),
  whole(unnoticed, sweep, acts(0, credit), anHour, takenBack(true), sweep),
  whole(pix(1, unnamed), takenBack(true), sweep, acts(1, dismissOrFail), agreement, sweep),
]

const lagging = (lag: PayoutLag) =>
  fc.record({ kind: fc.constant("disagreement" as const), nth: newest, lag: fc.constant(lag) })
const word = fc.constantFrom(
  "unknown" as const,
  "processing" as const,
  "silent" as const,
  "opposite" as const,
)
const queryLags = fc
  .record({ from: fc.constant("query" as const), word, isForGood: fc.boolean() })
  .map((lag) => ({ kind: "disagreement" as const, nth: 0, lag }))

/** What list and query tell differently for hours, in both directions, and for good or not. */
const lagStories = [
  whole(sent, queryLags, paidWith(0), hours, act, agreement, sweep, act),
  whole(
    sent,
    paidWith(0),
    sweep,
    opposite,
    lagging({ from: "query", word: "opposite", isForGood: false }),
    hours,
    act,
  ),
  whole(pix(0, { hiding: fromQuery }), hours, acts(0, credit), takenBack(true), hours, agreement, sweep),
  whole(pix(0, { hiding: fromQuery }), hours, agreement, sweep),
  whole(takenBack(false, fromQuery), hours, acts(0, debitOrRefund), agreement, sweep),
  whole(
    sent,
    lagging({ from: "query", word: "processing", isForGood: false }),
    paidWith(0),
    anHour,
    acts(0, dismissOrFail),
    hours,
  ),
  whole(
    sent,
    lagging({ from: "query", word: "silent", isForGood: true }),
    anHour,
    acts(0, dismissOrFail),
    paidWith(0),
    hours,
    act,
  ),
]

const requested = sent.map((one) => ({ ...one, isSentAtOnce: false }))
/** What a bank refuses for ever and never heard of, and a payout of a seller in debt. */
const refusedStories = [
  whole(
    ownRefundHeard(["lost"]),
    takenBack(false),
    after(61_000),
    anHour,
    after(61_000),
    acts(0, dismissOrFail),
  ),
  whole(
    pix(1),
    sweep,
    acts(0, debitOrRefund, ["lost", "refused", "refused", "refused"]),
    after(2_000),
    after(61_000),
    anHour,
    anHour,
  ),
  whole(requested, allOfIt(false), sweep, anHour),
  whole(ownRefund, anHour, acts(0, settle)),
]

/** Stories without which a sample of some hundred histories would miss one of `sights` (sights.ts) now and then. */
const rareStories = [
  whole(sent, anHour, act, paidWith(700), sweep, act, whollyBack, sweep, act),
  whole(sent, paidWith(0), sweep, opposite, sweep, act, opposite, sweep, act, opposite, sweep, act),
  whole(strangePayout, sweep, withdrawal, timers, refund, timers),
  whole(ownRefund, decided(0, fc.boolean()), anHour),
  whole(allOfIt(false), sweep, allOfIt(true), sweep),
  ...returnStories,
  ...lagStories,
  ...refusedStories,
]

/** What steps by themselves seldom come to: each needs the ones before it. */
const stories = fc.oneof(
  ...rareStories,
  story(withdrawal, verdict, news, turn, news, operator, operator, turn, sweep, operator),
  story(withdrawal, timers, timers, operator, verdict, turn, sweep, operator, turn, sweep, operator),
  // The partner says again and again the opposite of what was booked.
  story(withdrawal, verdict, news, ...[turnedDown, turnedDown, turnedDown, turnedDown].flat()),
  story(withdrawal, change, timers, operator, verdict, change, news, operator),
  story(refund, timers, verdict, news, giveBack, refund, timers, verdict, timers),
  story(refund, timers, giveBack, news, giveBack, news, verdict, timers, giveBack, news),
  story(transfer, transfer, news, operator, timers, verdict, timers, operator, timers),
  story(stranger, strangePayout, sweep, operator, operator, timers, verdict, timers),
)

/** Histories as they are drawn. */
export const history = fc.record({
  first: fc.constantFrom("a" as const, "b" as const),
  steps: fc
    .array(
      fc.oneof(
        { weight: 3, arbitrary: step.map((one): ReadonlyArray<Step> => [one]) },
        { weight: 2, arbitrary: stories },
      ),
      { minLength: 2, maxLength: 6, size: "max" },
    )
    .map((parts) => parts.flat()),
})

const backup = fc.constant({ kind: "backup" as const })
const restored = fc.constant({ kind: "restore" as const })
const unsentRefund = ownRefund.map((one) => ({ ...one, isSentAtOnce: false }))
/** What was handed over since a backup, and has ended or not when it is restored. */
const handedOver = fc.oneof(
  story(requested, backup, after(2_000), paidWith(0), restored),
  story(requested, allOfIt(false), backup, after(61_000), restored, news, paidWith(0)),
  story(unsentRefund, backup, after(2_000), decided(0, fc.boolean()), restored),
  story(pix(1), sweep, backup, acts(0, debitOrRefund), after(2_000), decided(0, fc.boolean()), restored),
  story(pix(1), sweep, backup, acts(0, credit), restored, sweep, acts(0, credit)),
)

const restoredAnywhere = fc
  .tuple(history, fc.tuple(nth, nth))
  .map(([{ first, steps }, [early, late]]): Told => {
    const from = early % (steps.length + 1)
    const to = from + (late % (steps.length - from + 1))
    const before: ReadonlyArray<Step> = [
      ...steps.slice(0, from),
      { kind: "backup" },
      ...steps.slice(from, to),
    ]
    return { first, steps: [...before, { kind: "restore" }, ...steps.slice(to)] }
  })

/** The same with a backup that is restored in the middle. */
export const restoredHistory = fc.oneof(
  restoredAnywhere,
  fc.tuple(history, handedOver, nth).map(([{ first, steps }, parts, at]): Told => {
    const from = at % (steps.length + 1)
    return { first, steps: [...steps.slice(0, from), ...parts, ...steps.slice(from)] }
  }),
)

/** A history: which account is configured first, and its steps. */
export interface Told {
  readonly first: "a" | "b"
  readonly steps: ReadonlyArray<Step>
}
