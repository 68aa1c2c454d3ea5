import fc from "fast-check"

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

const hearing = fc.constantFrom("heard" as const, "unheard" as const, "lost" as const, "refused" as const)
const hearings = fc.array(hearing, { maxLength: 3 })

const transfer = fc.record({
  ...{ kind: fc.constant("transfer" as const), nth, delivery },
  amount: fc.oneof({ weight: 3, arbitrary: fc.constant(price) }, fc.constantFrom(1, 9_999, 10_001)),
})
const giveBack = fc.record({
  ...{ kind: fc.constant("giveBack" as const), nth, delivery },
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
const expiry = fc.record({ kind: fc.constant("expiry" as const), nth })
/** Timers fire, after 2 s, a minute or an hour and more; the partner may not answer about one payout or refund. */
const timers = fc.record({
  ...{ kind: fc.constant("timers" as const), silentNth: fc.option(nth, { nil: undefined, freq: 3 }) },
  afterMillis: fc.constantFrom(2_000, 61_000, 3_700_000),
})
const notices = fc.record({ kind: fc.constant("notices" as const) })
const sweep = fc.record({ kind: fc.constant("sweep" as const) })
/** The other account is configured from now on. */
const change = fc.record({ kind: fc.constant("change" as const) })
const operator = fc.record({ kind: fc.constant("operator" as const), nth, actNth: nth, hearings })
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
)

/** What happens in a history; `nth` chooses among what there is then, and does nothing where there is none. */
export type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

/** We hear of something. */
const news = fc.oneof<fc.Arbitrary<Step>[]>(timers, notices, sweep, sweep)
const turn = fc.oneof<fc.Arbitrary<Step>[]>(contradiction, comeBack)

/** An operator moves the money of the newest exception, or mostly does. */
const booking = fc.record({
  ...{ kind: fc.constant("operator" as const), nth: fc.constant(0), hearings },
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
const allHeard = fc.array(hearing, { maxLength: 0 })
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
  ...{ kind: fc.constant("operator" as const), nth: newest, actNth: fc.constant(1), hearings },
})
/** The older of a history's two charges, which is paid when it begins. */
const paidOne = fc.constant(1)
const allOfIt = (isBeyond: boolean) =>
  fc.record({
    ...{ kind: fc.constant("giveBack" as const), nth: paidOne, delivery },
    amount: fc.constant(price),
    how: fc.constantFrom("refund" as const, "chargeback" as const),
    isBeyond: fc.constant(isBeyond),
  })

const ownRefund = fc.record({
  ...{ kind: fc.constant("refund" as const), nth: paidOne, hearings: allHeard },
  isSentAtOnce: fc.constant(true),
  amount: fc.constantFrom(1, 2_500),
})

/** Stories without which a sample of some hundred histories would miss one of `sights` (outcome.ts) now and then. */
const rareStories = [
  whole(sent, anHour, act, paidWith(700), sweep, act, whollyBack, sweep, act),
  whole(sent, paidWith(0), sweep, opposite, sweep, act, opposite, sweep, act, opposite, sweep, act),
  whole(strangePayout, sweep, withdrawal, timers, refund, timers),
  whole(ownRefund, decided(0, fc.boolean()), anHour),
  whole(allOfIt(false), sweep, allOfIt(true), sweep),
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

/** A history: which account is configured first, and its steps. */
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
export type Told = typeof history extends fc.Arbitrary<infer H> ? H : never
