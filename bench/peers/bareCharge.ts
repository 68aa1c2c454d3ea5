import { randomFillSync, randomUUID } from "node:crypto"
import { timerNames } from "../../actors/seller/decisions/transactionTransitions.ts"
import { type SealedPlace, sealedPlaces } from "../../actors/values/sealedPlaces.ts"
import { makeId } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { stripDocument } from "../../schema/resources/transaction.ts"
import { madeTraceId } from "../../schema/trace.ts"
import { makeBrCodeBuilder } from "../../src/pixCode/brCode.ts"
import { publicUrl } from "../support/publicUrl.ts"

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

const idBytes = 14
const pool = Buffer.alloc(idBytes * 512)
let poolAt = pool.length

/** Random bytes from a pool: one system call for hundreds of ids. */
const randomBytes = (): Buffer => {
  if (poolAt === pool.length) {
    randomFillSync(pool)
    poolAt = 0
  }
  poolAt += idBytes
  return pool.subarray(poolAt - idBytes, poolAt)
}

/** 32 characters of hex. */
const randomHex = (): string => randomUUID().replaceAll("-", "")

/** A charge's BR Code, and its QR as base64 of a PNG. */
export interface BarePix {
  readonly payload: string
  readonly qr: string
}

/** The BR Code of a charge. */
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
  const id = makeId("txn_", nowMillis, partition, randomBytes())
  const expireMillis = nowMillis + limits.expirySecondsDefault * 1_000
  const expiresAt = new Date(expireMillis).toISOString()
  const customerDocument = stripDocument(body.customer.document)
  const sealed = seal(customerDocument, sealedPlaces.customerDocument(id))
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
    /** As stored. */
    document,
    /** As returned. */
    answer: document.replace(sealed, () => customerDocument),
    executionId: randomUUID().slice(0, 16),
    /** Pairs of a timer's name and when it is due, in ms. */
    timers: [
      ...[timerNames.expire, expireMillis],
      ...(paidInMillis === undefined ? [] : [timerNames.ask, nowMillis + paidInMillis]),
    ],
  }
}

/** A charge to commit. */
export type BareCharge = ReturnType<typeof makeBareCharge>
