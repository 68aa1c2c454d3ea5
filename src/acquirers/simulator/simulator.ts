import { Effect } from "effect"
import {
  type Acquirer,
  AcquirerRefused,
  type ChargeReport,
  type PayoutReport,
  type RefundReport,
} from "../../../actors/ports/acquirer.ts"
import type { Identifiers } from "../../../actors/ports/identifiers.ts"
import { simulatedEndToEndId, simulatedReturnId } from "../../../actors/seller/decisions/endToEndId.ts"
import {
  refundIdOfAcquirer,
  timeOfId,
  transactionIdOfTxid,
  withdrawalIdOfPayout,
} from "../../../schema/ids.ts"
import type { TransactionStatus } from "../../../schema/resources/transaction.ts"

/** Names the simulator in settings, paths and records. */
export const simulatorSlug = "simulator"

/** How the last two digits of its amount decide a charge (docs/contract/transactions.md#test-amounts). */
const triggers = {
  neverPaid: 1,
  fails: 2,
  refused: 3,
  refundedAfterwards: 4,
  chargebackAfterwards: 5,
} as const

/** How the last two digits of its amount decide a payout (docs/contract/withdrawals.md#test-amounts). */
const payoutTriggers = { staysProcessing: 1, fails: 2 } as const

/** How the last two digits of its amount decide a refund (docs/contract/refunds.md#test-amounts). */
const refundTriggers = { staysProcessing: 1, fails: 2 } as const

/** The code of a payout that the simulated bank cannot pay: account closed (ISO 20022). */
const closedAccount = "AC03"
/** The code of a refund that the simulated bank cannot make: an amount it does not accept (ISO 20022). */
const wrongAmount = "AM09"

/** What happens next to a charge in a status. */
export const simulate = (
  amount: number,
  status: TransactionStatus,
): "paid" | "failed" | "refunded" | "chargeback" | "unchanged" => {
  const trigger = amount % 100
  if (status === "pending") {
    if (trigger === triggers.neverPaid || trigger === triggers.refused) return "unchanged"
    return trigger === triggers.fails ? "failed" : "paid"
  }
  if (status === "paid" && trigger === triggers.refundedAfterwards) return "refunded"
  if (status === "paid" && trigger === triggers.chargebackAfterwards) return "chargeback"
  return "unchanged"
}

/** Options of the simulator. */
export interface SimulatorOptions {
  /** Time from creation to payment, and from payment to refund or chargeback; likewise for payouts and refunds. */
  readonly delayMillis: number
  /** Simulated latency; above 0 the simulator counts as a remote acquirer. */
  readonly chargeLatencyMillis: number
  /** Host of charge locations, without scheme. */
  readonly locationHost: string
  /** Whether operators pay live withdrawals by hand, as at a bank without payouts by API. */
  readonly hasManualPayouts?: boolean
}

const nothingNew: ChargeReport = { payments: [], failure: undefined, askAfterMillis: undefined }

/** Reports a charge. The simulator is stateless: asked twice, it answers the same. */
const queryCharge =
  (delayMillis: number): Acquirer["queryCharge"] =>
  ({ txid, amount, status, endToEndId }) =>
    Effect.sync((): ChargeReport => {
      const outcome = simulate(amount, status)
      switch (outcome) {
        case "paid": {
          const goesOn = simulate(amount, "paid") !== "unchanged"
          const createdMillis = timeOfId(transactionIdOfTxid(txid) ?? "")
          const payment = { endToEndId: simulatedEndToEndId(createdMillis, txid), amount, refunds: [] }
          return { ...nothingNew, payments: [payment], askAfterMillis: goesOn ? delayMillis : undefined }
        }
        case "failed":
          return { ...nothingNew, failure: "the simulator fails amounts that end in 02" }
        case "unchanged":
          return nothingNew
        default: {
          const returnId = simulatedReturnId(timeOfId(transactionIdOfTxid(txid) ?? ""), txid)
          const done = { id: "simulated", amount, status: "done", returnId } as const
          const refund: RefundReport =
            outcome === "refunded"
              ? { ...done, kind: "refund" }
              : { ...done, kind: "chargeback", reason: "MED_FRAUDE" }
          return { ...nothingNew, payments: [{ endToEndId: endToEndId ?? "", amount, refunds: [refund] }] }
        }
      }
    })

const queryPayout: Acquirer["queryPayout"] = ({ payoutId, amount }) =>
  Effect.sync((): PayoutReport => {
    const trigger = amount % 100
    if (trigger === payoutTriggers.staysProcessing) return { status: "processing", askAfterMillis: undefined }
    if (trigger === payoutTriggers.fails) return { status: "notPaid", reason: closedAccount }
    const requestedMillis = timeOfId(withdrawalIdOfPayout(payoutId) ?? "")
    return { status: "paid", endToEndId: simulatedEndToEndId(requestedMillis, payoutId) }
  })

/** Reports a refund that was sent: asked twice, it says the same. */
const queryRefund: Acquirer["queryRefund"] = ({ refundId, amount }) =>
  Effect.sync((): RefundReport => {
    const trigger = amount % 100
    const report = { id: refundId, amount, kind: "refund" } as const
    if (trigger === refundTriggers.staysProcessing) return { ...report, status: "processing" }
    if (trigger === refundTriggers.fails) {
      const failureReason = "the simulator fails refunds of amounts that end in 02"
      return { ...report, status: "failed", failureCode: wrongAmount, failureReason }
    }
    const requestedMillis = timeOfId(refundIdOfAcquirer(refundId) ?? "")
    return { ...report, status: "done", returnId: simulatedReturnId(requestedMillis, refundId) }
  })

/** The simulated acquirer (docs/partner.md#simulator). */
export const makeSimulator = (options: SimulatorOptions, identifiers: Identifiers["Service"]): Acquirer => {
  const { delayMillis, chargeLatencyMillis, locationHost } = options
  const latency = chargeLatencyMillis > 0 ? Effect.sleep(chargeLatencyMillis) : Effect.void

  const createCharge: Acquirer["createCharge"] = ({ amount }) => {
    const trigger = amount % 100
    if (trigger === triggers.refused) {
      const reason = "the simulator refuses amounts that end in 03"
      return Effect.andThen(latency, Effect.fail(new AcquirerRefused({ reason })))
    }
    return Effect.andThen(
      latency,
      Effect.sync(() => ({
        location: `${locationHost}/qr/v2/${locationToken(identifiers)}`,
        askAfterMillis: trigger === triggers.neverPaid ? undefined : delayMillis,
      })),
    )
  }

  return {
    slug: simulatorSlug,
    account: simulatorSlug,
    isLocal: chargeLatencyMillis === 0,
    ...(options.hasManualPayouts === true ? { hasManualPayouts: true } : {}),
    createCharge,
    queryCharge: queryCharge(delayMillis),
    cancelCharge: () => Effect.succeed("removed"),
    refund: ({ refundId, amount }) =>
      Effect.succeed({
        id: refundId,
        amount,
        kind: "refund",
        status: "processing",
        askAfterMillis: delayMillis,
      }),
    queryRefund,
    sendPayout: () => Effect.succeed({ status: "processing", askAfterMillis: delayMillis }),
    queryPayout,
  }
}

const locationToken = (identifiers: Identifiers["Service"]): string => {
  const hex = "0123456789abcdef"
  let token = ""
  for (const character of identifiers.alphanumeric(32)) token += hex[character.charCodeAt(0) & 15]
  return token
}
