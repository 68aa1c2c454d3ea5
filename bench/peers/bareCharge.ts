import { randomUUID } from "node:crypto"
import { timerNames } from "../../actors/seller/decisions/transactionTransitions.ts"
import { type SealedPlace, sealedPlaces } from "../../actors/values/sealedPlaces.ts"
import { makeId } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { stripDocument } from "../../schema/resources/transaction.ts"
import { madeTraceId } from "../../schema/trace.ts"
import { makeBrCodeBuilder } from "../../src/pixCode/brCode.ts"
import { makeCustomerDigests } from "../../src/store/customerDigests.ts"
import { publicUrl } from "../support/settings.ts"
import { randomIdBytes } from "./randomIds.ts"

/** The body that the bare server assumes: it validates nothing. */
export interface BareBody {
  readonly amount: number
  readonly customer: {
    readonly name: string
    readonly email: string
    readonly document: string
    readonly phone?: string
  }
  readonly items: ReadonlyArray<unknown>
  readonly metadata?: object
  readonly postback_url?: string
}

const buildBrCode = makeBrCodeBuilder({ merchantName: "CORRENTE", merchantCity: "SAO PAULO" })

const customers = makeCustomerDigests(Buffer.alloc(32))

const randomHex = (): string => randomUUID().replaceAll("-", "")

interface BarePix {
  readonly payload: string
  readonly qr: string
}

export const makeBarePayload = (): string => buildBrCode(`pix.corrente.test/qr/v2/${randomHex()}`)

/**
 * A charge with the same fields, order and size as the service's, and its timers: one that expires it and, with
 * `paidInMillis`, one that asks whether it was paid. `stringify` must give the text of JSON.stringify.
 */
export const makeBareCharge = (
  body: BareBody,
  partition: number,
  pix: BarePix,
  seal: (document: string, place: SealedPlace) => string,
  stringify: (charge: Record<string, unknown>) => string = JSON.stringify,
  paidInMillis?: number,
) => {
  const nowMillis = Date.now()
  const id = makeId("txn_", nowMillis, partition, randomIdBytes())
  const expireMillis = nowMillis + limits.expirySecondsDefault * 1_000
  const expiresAt = new Date(expireMillis).toISOString()
  const customerDocument = stripDocument(body.customer.document)
  const sealed = seal(customerDocument, sealedPlaces.customerDocument(id))
  const feed = { sellerId: String(partition), mode: "test" } as const
  const document = stringify({
    id,
    object: "transaction",
    trace_id: madeTraceId(id),
    mode: "test",
    status: "pending",
    amount: body.amount,
    fee: 0,
    net_amount: body.amount,
    currency: "BRL",
    payment_method: "pix",
    payment_url: `${publicUrl}/pay/${"A".repeat(11)}${randomHex()}`,
    customer: {
      name: body.customer.name,
      email: body.customer.email,
      document: sealed,
      phone: body.customer.phone ?? null,
    },
    reference: null,
    description: null,
    return_url: null,
    show_on_page: false,
    items: body.items,
    metadata: body.metadata ?? {},
    postback_url: body.postback_url ?? null,
    pix: { txid: randomHex(), payload: pix.payload, qr_base64: pix.qr, expires_at: expiresAt },
    end_to_end_id: null,
    failure_reason: null,
    reserve: null,
    refunded_amount: 0,
    refunds: [],
    exceptions: [],
    created_at: new Date(nowMillis).toISOString(),
    expires_at: expiresAt,
    paid_at: null,
    expired_at: null,
    failed_at: null,
    refunded_at: null,
    chargeback_at: null,
  })
  return {
    id,
    document,
    customer: customers.of(feed, customerDocument),
    answer: document.replace(sealed, () => customerDocument),
    executionId: randomUUID().slice(0, 16),
    timers: [
      { name: timerNames.expire, dueMillis: expireMillis },
      ...(paidInMillis === undefined ? [] : [{ name: timerNames.ask, dueMillis: nowMillis + paidInMillis }]),
    ],
  }
}

export type BareCharge = ReturnType<typeof makeBareCharge>
