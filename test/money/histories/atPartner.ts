import { type Charge, type History, heldPayouts, payoutOf, pick, pixOf } from "./history.ts"
import { bodyOfPayout, bodyOfPix, notify } from "./notices.ts"
import { type Back, leftOf, type Payout, type Pix } from "./partnerAccount.ts"
import { price, type Step } from "./steps.ts"
import { sides } from "./twoAccounts.ts"

type Of<Kind extends Step["kind"]> = Extract<Step, { readonly kind: Kind }>

/** A payer pays a charge some amount; it arrives at the charge's account, whichever is configured. */
export const transfer = (
  told: History,
  charge: Charge,
  amount: number,
  delivery: Of<"transfer">["delivery"],
) => {
  const account = told.partner(charge.side)
  const endToEndId = `E${charge.txid.slice(0, 26)}${told.count++}`
  const pix: Pix = { endToEndId, txid: charge.txid, amount, backs: [] }
  account.payments.get(charge.txid)?.push(pix)
  account.pix.set(endToEndId, pix)
  notify(told, charge.id, bodyOfPix(pix), delivery)
  return pix
}

/** A Pix that pays its charge: nobody follows what goes back of another by itself (docs/partner.md#not-there-yet). */
const paymentOf = (told: History, charge: Charge): Pix | undefined =>
  charge.ended === undefined
    ? told
        .partner(charge.side)
        .payments.get(charge.txid)
        ?.find(({ amount }) => amount === price)
    : undefined

const giveBack = (told: History, { nth, amount, how, isBeyond, delivery }: Of<"giveBack">): void => {
  const charge = pick(told.charges, nth)
  const pix = charge && paymentOf(told, charge)
  const centavos = pix === undefined ? 0 : isBeyond ? amount : Math.min(amount, leftOf(pix))
  if (charge === undefined || pix === undefined || centavos <= 0) return
  pix.backs.push({ id: `D${told.count++}`, amount: centavos, kind: how, status: "done" })
  notify(told, charge.id, bodyOfPix(pix), delivery)
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
    if (isDone) chosen.payout.amount += more
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

const comeBack = (told: History, { nth, part }: Of<"comeBack">): void => {
  const chosen = pick(
    told.withdrawals.filter((withdrawal) => payoutOf(told, withdrawal)?.status === "paid"),
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
      if (charge !== undefined) transfer(told, charge, step.amount, step.delivery)
      return true
    }
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
