import { type Mode, timeOfId } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import {
  type CreateTransaction,
  stripDocument,
  type Transaction,
} from "../../../schema/resources/transaction.ts"
import { madeTraceId } from "../../../schema/trace.ts"
import type { ChargeFees } from "../../ports/sellerStore.ts"
import { type SealedPlace, sealedPlaces } from "../../values/sealedPlaces.ts"

/**
 * The charge fee in centavos: basis points, half up, plus a fixed part, at most the amount
 * (docs/contract/transactions.md#fees-and-reserve).
 */
export const chargeFee = (amount: number, settings: ChargeFees): number => {
  const proportional = Number((BigInt(amount) * BigInt(settings.chargeFeeBps) * 2n + 10_000n) / 20_000n)
  return Math.min(amount, proportional + settings.chargeFeeFixed)
}

/** How long a charge may be paid, in seconds. */
export const expirySeconds = (body: CreateTransaction): number =>
  body.pix?.expires_in_seconds ?? limits.expirySecondsDefault

/** What a new charge consists of besides its body. */
export interface NewTransaction {
  readonly id: string
  readonly mode: Mode
  readonly txid: string
  readonly payload: string
  readonly settings: ChargeFees
  /** The trace that the caller has begun; absent: the charge begins one. */
  readonly traceId?: string | undefined
  /** The payment link that it is made through. */
  readonly paymentLinkId?: string | undefined
  /**
   * When this execution began; the expiry counts from here. It is also the id's time, which `created_at` shows, unless the id of
   * a crashed execution was taken over.
   */
  readonly nowMillis: number
  /** Seals the customer's document. */
  readonly seal: (document: string, place: SealedPlace) => string
}

/**
 * The picture of a stored charge: it follows from the payload, and whoever shows the charge draws it
 * (docs/decisions/0072-pictures-are-not-stored.md).
 */
const pictureLeftOut = ""

/**
 * The link of a stored charge to its payment page: it follows from the id and is as good as a password, so it is stored nowhere, and
 * whoever shows the charge fills it in (docs/decisions/0083-payment-pages.md).
 */
const paymentUrlLeftOut = ""

/**
 * A new charge, `pending`. The order of fields is the wire's; `customer` stands before all free text but its own, so that the
 * sealed document is found without parsing, and so is `trace_id`.
 */
export const newTransaction = (body: CreateTransaction, made: NewTransaction): Transaction => {
  const fee = chargeFee(body.amount, made.settings)
  const expiresAt = new Date(made.nowMillis + expirySeconds(body) * 1_000).toISOString()
  return {
    id: made.id,
    object: "transaction",
    trace_id: made.traceId ?? madeTraceId(made.id),
    mode: made.mode,
    status: "pending",
    amount: body.amount,
    fee,
    net_amount: body.amount - fee,
    currency: "BRL",
    payment_method: "pix",
    payment_url: paymentUrlLeftOut,
    customer: {
      name: body.customer.name,
      email: body.customer.email,
      document: made.seal(stripDocument(body.customer.document), sealedPlaces.customerDocument(made.id)),
      phone: body.customer.phone ?? null,
    },
    reference: body.reference ?? null,
    description: body.description ?? null,
    return_url: body.return_url ?? null,
    show_on_page: body.show_on_page ?? false,
    ...(made.paymentLinkId === undefined ? {} : { payment_link_id: made.paymentLinkId }),
    items: body.items.map(({ name, quantity, unit_amount }) => ({ name, quantity, unit_amount })),
    metadata: body.metadata ?? {},
    postback_url: body.postback_url ?? null,
    pix: { txid: made.txid, payload: made.payload, qr_base64: pictureLeftOut, expires_at: expiresAt },
    end_to_end_id: null,
    failure_reason: null,
    reserve: null,
    refunded_amount: 0,
    refunds: [],
    exceptions: [],
    // The id's time, so that lists, which sort and filter by id, agree with what is shown.
    created_at: new Date(timeOfId(made.id)).toISOString(),
    expires_at: expiresAt,
    paid_at: null,
    expired_at: null,
    failed_at: null,
    refunded_at: null,
    chargeback_at: null,
  }
}
