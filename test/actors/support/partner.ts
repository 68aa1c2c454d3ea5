import { Effect } from "effect"
import type { Acquirer, ChargeReport, PaymentReport } from "../../../actors/ports/acquirer.ts"

/** The partner has no news of a charge, and expects none. */
export const noNews: ChargeReport = { payments: [], failure: undefined, askAfterMillis: undefined }

/** A charge that one transfer of that amount paid. */
export const paidBy = (
  endToEndId: string,
  amount = 1_000,
  refunds: PaymentReport["refunds"] = [],
): ChargeReport => ({ ...noNews, payments: [{ endToEndId, amount, refunds }] })

/** A partner elsewhere that takes what it is given and tells of nothing; tests say otherwise call by call. */
export const silentPartner: Acquirer = {
  slug: "elsewhere",
  account: "elsewhere:1",
  isLocal: false,
  createCharge: ({ txid }) => Effect.succeed({ location: `pix.example/${txid}`, askAfterMillis: undefined }),
  queryCharge: () => Effect.succeed(noNews),
  cancelCharge: () => Effect.succeed("removed"),
  refund: ({ refundId, amount }) =>
    Effect.succeed({ id: refundId, amount, kind: "refund", status: "done" } as const),
  sendPayout: () => Effect.succeed({ status: "processing", askAfterMillis: undefined } as const),
  queryPayout: () => Effect.succeed({ status: "processing", askAfterMillis: undefined } as const),
}
