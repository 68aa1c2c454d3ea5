import {
  type Charge,
  chargesOf,
  type History,
  heldPayouts,
  paymentsOf,
  payoutOf,
  pick,
  pixOf,
} from "./history.ts"
import { bodyOfPayout, bodyOfPix, notify } from "./notices.ts"
import { type Back, type Hidden, leftOf, type Payout, type Pix } from "./partnerAccount.ts"
import { type Hiding, price, type Step } from "./steps.ts"
import { sides } from "./twoAccounts.ts"

type Of<Kind extends Step["kind"]> = Extract<Step, { readonly kind: Kind }>

/** A payer pays a charge some amount; it arrives at the charge's account, whichever is configured. */
export const transfer = (
  told: History,
  charge: Charge,
  amount: number,
  delivery: Of<"transfer">["delivery"],
  shown: Partial<Pick<Pix, "hidden" | "nameless">> = {},
) => {
  const account = told.partner(charge.side)
  const endToEndId = `E${charge.txid.slice(0, 26)}${told.count++}`
  const pix: Pix = { endToEndId, txid: charge.txid, amount, backs: [], ...shown }
  account.payments.get(charge.txid)?.push(pix)
  account.pix.set(endToEndId, pix)
  notify(told, charge.id, bodyOfPix(pix), delivery)
  return pix
}

/** What a step hides of the partner's answers; a list hides nothing for good. */
const hiddenOf = (hiding: Hiding | undefined): { readonly hidden?: Hidden } => {
  if (hiding === undefined) return {}
  return { hidden: { ...hiding, isForGood: hiding.isForGood && hiding.from === "query" } }
}

/** A Pix that pays its charge. */
const paymentOf = (told: History, charge: Charge): Pix | undefined =>
  charge.ended === undefined ? paymentsOf(told, charge).find(({ amount }) => amount === price) : undefined

/** The Pix that pay no charge, and may be credited by an exception. */
const othersOf = (told: History): ReadonlyArray<Pix> => {
  const paying = new Set(told.charges.map((charge) => paymentOf(told, charge)))
  return sides.flatMap((side) => pixOf(told, side).filter((pix) => !paying.has(pix)))
}

const giveBack = (told: History, step: Of<"giveBack">): void => {
  const { nth, amount, how, isBeyond, isOfOther, delivery, hiding } = step
  const charge = pick(told.charges, nth)
  const pix = isOfOther ? pick(othersOf(told), nth) : charge && paymentOf(told, charge)
  const centavos = pix === undefined ? 0 : isBeyond && !isOfOther ? amount : Math.min(amount, leftOf(pix))
  if (pix === undefined || centavos <= 0) return
  pix.backs.push({
    ...{ id: `D${told.count++}`, amount: centavos, kind: how, status: "done" },
    ...hiddenOf(hiding),
  })
  const own = told.charges.find(({ txid }) => txid === pix.txid)
  if (own !== undefined) notify(told, own.id, bodyOfPix(pix), delivery)
}

/** Another charge of the same account names a Pix, too. */
const nameTwice = (told: History, { nth }: Of<"twoNames">): void => {
  const charge = pick(told.charges, nth)
  if (charge === undefined) return
  const named = paymentsOf(told, charge)
  const pix = pick(
    pixOf(told, charge.side).filter((one) => one.txid !== undefined && !named.includes(one)),
    nth,
  )
  if (pix === undefined) return
  told.partner(charge.side).payments.get(charge.txid)?.push(pix)
}

/** Whether what it is asked for is all that may be gone of a payout. */
const isOfAllOrNothing = ({ asked, amount, returned }: Payout): boolean => amount === asked && returned === 0

/** One of the partner's answers about a payout lags behind, or says the opposite, from now on. */
const disagree = (told: History, { nth, lag }: Of<"disagreement">): void => {
  const chosen = pick(
    heldPayouts(told).filter(({ payout }) => lag.word !== "opposite" || isOfAllOrNothing(payout)),
    nth,
  )
  if (chosen !== undefined) chosen.payout.lag = lag
}

/** What a charge's query did not name it names last from now on: what it had named may have paid the charge. */
const show = (told: History, pix: Pix): void => {
  const wasNamed = pix.hidden?.from !== "query"
  pix.hidden = undefined
  if (wasNamed) return
  for (const { side, txid } of chargesOf(told, pix)) {
    const named = told.partner(side).payments.get(txid) ?? []
    named.push(...named.splice(named.indexOf(pix), 1))
  }
}

/** List and query agree again, but where they disagree for good. */
export const agree = (told: History): void => {
  for (const { payout } of heldPayouts(told)) if (payout.lag?.isForGood !== true) payout.lag = undefined
  for (const pix of sides.flatMap((side) => pixOf(told, side))) {
    if (pix.hidden?.isForGood === false) show(told, pix)
    for (const back of pix.backs) if (back.hidden?.isForGood !== true) back.hidden = undefined
  }
}

const stranger = (told: History, amount: number): void => {
  const { txid } = told.charges[0] ?? { txid: "" }
  const endToEndId = `X${txid.slice(0, 26)}${told.count++}`
  const pix = { endToEndId, txid: undefined, amount, backs: [], side: told.at }
  told.strangers.push(pix)
  told.partner(told.at).pix.set(endToEndId, pix)
}

const strangePayout = (told: History, { amount, hasId }: Of<"strangePayout">): void => {
  const name = `${told.charges[0]?.txid.slice(0, 26)}${told.count++}`
  const payout: Payout = {
    ...{ payoutId: hasId ? `order${name}` : undefined, endToEndId: `Y${name}`, asked: amount, amount },
    ...{ returned: 0, status: "paid", contradictions: 0 },
  }
  told.strangePayouts.push({ side: told.at, payout })
}

/** Refunds of ours that the partner has not decided on. */
const undecidedBacks = (told: History): ReadonlyArray<Back> =>
  sides.flatMap((side) =>
    pixOf(told, side).flatMap(({ backs }) => backs.filter(({ status }) => status === "processing")),
  )

const verdict = (told: History, { nth, isDone, more, delivery }: Of<"verdict">): void => {
  const payouts = heldPayouts(told).filter(({ payout }) => payout.status === "processing")
  const backs = undecidedBacks(told)
  const chosen = pick([...payouts, ...backs], nth)
  if (chosen === undefined) return
  if ("payout" in chosen) {
    chosen.payout.status = isDone ? "paid" : "notPaid"
    if (isDone && chosen.payout.lag?.word !== "opposite") chosen.payout.amount += more
    notify(told, chosen.withdrawal.id, bodyOfPayout(chosen.payout), delivery)
  } else {
    chosen.status = isDone ? "done" : "failed"
  }
}

/** More changes of mind about one payout show nothing more. */
const contradictionsMax = 4

/** The partner says the opposite of what it said of a payout. */
const contradict = (told: History, { nth, delivery }: Of<"contradiction">): void => {
  const chosen = pick(
    heldPayouts(told).filter(
      ({ payout }) => payout.status !== "processing" && payout.contradictions < contradictionsMax,
    ),
    nth,
  )
  if (chosen === undefined) return
  chosen.payout.status = chosen.payout.status === "paid" ? "notPaid" : "paid"
  chosen.payout.contradictions += 1
  notify(told, chosen.withdrawal.id, bodyOfPayout(chosen.payout), delivery)
}

/** Nothing comes back of a payout of which the query says the opposite of the list: where both differ from ours, we follow the query. */
const comeBack = (told: History, { nth, part }: Of<"comeBack">): void => {
  const chosen = pick(
    told.withdrawals.filter((withdrawal) => {
      const payout = payoutOf(told, withdrawal)
      return payout?.status === "paid" && payout.lag?.word !== "opposite"
    }),
    nth,
  )
  const payout = chosen && payoutOf(told, chosen)
  if (chosen === undefined || payout === undefined) return
  payout.returned = Math.min(payout.amount, payout.returned + part)
}

/** Writes a step of payers and banks into the partner's books; answers whether it was one. */
export const performAtPartner = (told: History, step: Step): boolean => {
  switch (step.kind) {
    case "transfer": {
      const charge = pick(told.charges, step.nth)
      const { amount, delivery, hiding, nameless } = step
      if (charge !== undefined) transfer(told, charge, amount, delivery, { ...hiddenOf(hiding), nameless })
      return true
    }
    case "twoNames":
      nameTwice(told, step)
      return true
    case "disagreement":
      disagree(told, step)
      return true
    case "agreement":
      agree(told)
      return true
    case "giveBack":
      giveBack(told, step)
      return true
    case "stranger":
      stranger(told, step.amount)
      return true
    case "strangePayout":
      strangePayout(told, step)
      return true
    case "verdict":
      verdict(told, step)
      return true
    case "contradiction":
      contradict(told, step)
      return true
    case "comeBack":
      comeBack(told, step)
      return true
    default:
      return false
  }
}
