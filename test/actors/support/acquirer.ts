import { Effect } from "effect"
import type { Acquirer, ChargeReport, PaymentReport } from "../../../actors/ports/acquirer.ts"

/** A report without news of a charge, and without a time to ask again. */
export const noNews: ChargeReport = { payments: [], failure: undefined, askAfterMillis: undefined }

/** A report of one transfer, in centavos, with its refunds. */
export const paidBy = (
  endToEndId: string,
  amount = 1_000,
  refunds: PaymentReport["refunds"] = [],
): ChargeReport => ({ ...noNews, payments: [{ endToEndId, amount, refunds }] })

/** A remote acquirer that accepts every call and reports nothing new; tests override single calls. */
export const silentAcquirer: Acquirer = {
  slug: "elsewhere",
  account: "elsewhere:1",
  isLocal: false,
  createCharge: ({ txid }) => Effect.succeed({ location: `pix.example/${txid}`, askAfterMillis: undefined }),
  queryCharge: () => Effect.succeed(noNews),
  cancelCharge: () => Effect.succeed("removed"),
  refund: ({ refundId, amount }) =>
    Effect.succeed({ id: refundId, amount, kind: "refund", status: "done" } as const),
  queryRefund: ({ refundId, amount }) =>
    Effect.succeed({ id: refundId, amount, kind: "refund", status: "processing" } as const),
  sendPayout: () => Effect.succeed({ status: "processing", askAfterMillis: undefined } as const),
  queryPayout: () => Effect.succeed({ status: "processing", askAfterMillis: undefined } as const),
}
