import { Effect } from "effect"
import type {
  Acquirer,
  ChargeReport,
  PaymentReport,
  PayoutReport,
  RefundAnswer,
} from "../../actors/ports/acquirer.ts"

/** The books of an acquirer, which a test writes, and the acquirer that answers from them. It sends no notices by itself. */
export interface AcquirerBooks {
  readonly acquirer: Acquirer
  /** Transfers to a charge, by its txid. */
  readonly payments: Map<string, ReadonlyArray<PaymentReport>>
  /** Reports of payouts; one that was sent and is not here is processing. */
  readonly payouts: Map<string, PayoutReport>
  /** What became of refunds of ours, by the acquirer's id; one that was sent and is not here is processing. */
  readonly refunds: Map<string, "done" | "failed">
  /** How often each payout and refund was sent, by its id. */
  readonly sendings: Map<string, number>
}

/** Makes empty books, and their acquirer, which answers within the process. */
export const makeAcquirerBooks = (): AcquirerBooks => {
  const payments: AcquirerBooks["payments"] = new Map()
  const payouts: AcquirerBooks["payouts"] = new Map()
  const refunds: AcquirerBooks["refunds"] = new Map()
  const sendings: AcquirerBooks["sendings"] = new Map()
  const count = (id: string) => sendings.set(id, (sendings.get(id) ?? 0) + 1)
  const processing: PayoutReport = { status: "processing", askAfterMillis: undefined }
  const acquirer: Acquirer = {
    slug: "acquirer",
    account: "acquirer",
    isLocal: true,
    createCharge: ({ txid }) =>
      Effect.succeed({ location: `pix.acquirer.test/qr/v2/${txid}`, askAfterMillis: undefined }),
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
      Effect.sync(() => {
        count(refundId)
        return { id: refundId, amount, kind: "refund", status: "processing" } as const
      }),
    queryRefund: ({ refundId, amount }) =>
      Effect.sync(
        (): RefundAnswer =>
          sendings.has(refundId)
            ? { id: refundId, amount, kind: "refund", status: refunds.get(refundId) ?? "processing" }
            : { status: "unknown" },
      ),
    sendPayout: ({ payoutId }) =>
      Effect.sync(() => {
        count(payoutId)
        return processing
      }),
    queryPayout: ({ payoutId }) =>
      Effect.sync(
        (): PayoutReport =>
          sendings.has(payoutId) ? (payouts.get(payoutId) ?? processing) : { status: "unknown" },
      ),
  }
  return { acquirer, payments, payouts, refunds, sendings }
}
