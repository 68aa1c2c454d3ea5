import { Effect } from "effect"
import type { Acquirer, ChargeReport, PaymentReport, PayoutReport } from "../../actors/ports/acquirer.ts"

/** A partner whose books the test writes. It is asked about everything, and sends nothing by itself. */
export interface Partner {
  readonly acquirer: Acquirer
  /** Transfers to a charge, by its txid. */
  readonly payments: Map<string, ReadonlyArray<PaymentReport>>
  /** What it says of a payout; one that was sent and is not here is processing. */
  readonly payouts: Map<string, PayoutReport>
  /** How often each payout was sent. */
  readonly sendings: Map<string, number>
}

/** A partner that answers within the process. */
export const makePartner = (): Partner => {
  const payments: Partner["payments"] = new Map()
  const payouts: Partner["payouts"] = new Map()
  const sendings: Partner["sendings"] = new Map()
  const processing: PayoutReport = { status: "processing", askAfterMillis: undefined }
  const acquirer: Acquirer = {
    slug: "partner",
    account: "partner",
    isLocal: true,
    createCharge: ({ txid }) =>
      Effect.succeed({ location: `pix.partner.test/qr/v2/${txid}`, askAfterMillis: undefined }),
    queryCharge: ({ txid }) =>
      Effect.sync(
        (): ChargeReport => ({
          payments: payments.get(txid) ?? [],
          failure: undefined,
          askAfterMillis: undefined,
        }),
      ),
    cancelCharge: () => Effect.succeed("removed"),
    refund: ({ refundId, amount }) =>
      Effect.succeed({ id: refundId, amount, kind: "refund", status: "done" }),
    sendPayout: ({ payoutId }) =>
      Effect.sync(() => {
        sendings.set(payoutId, (sendings.get(payoutId) ?? 0) + 1)
        return processing
      }),
    queryPayout: ({ payoutId }) =>
      Effect.sync(
        (): PayoutReport =>
          sendings.has(payoutId) ? (payouts.get(payoutId) ?? processing) : { status: "unknown" },
      ),
  }
  return { acquirer, payments, payouts, sendings }
}
