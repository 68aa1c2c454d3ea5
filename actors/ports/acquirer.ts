import { Context, type Effect, Schema } from "effect"
import type { Mode } from "../../schema/ids.ts"
import type { PixKeyType } from "../../schema/resources/pixKey.ts"
import type { TransactionStatus } from "../../schema/resources/transaction.ts"

/** The acquirer refused: nothing was created and no money will move. `reason` may be shown to the seller. */
export class AcquirerRefused extends Schema.TaggedError<AcquirerRefused>()("AcquirerRefused", {
  reason: Schema.String,
  /** Of a payout or refund: our own account at the acquirer lacks the money, so that the same may be accepted later. */
  isWithoutFunds: Schema.optionalKey(Schema.Boolean),
}) {}

/** The acquirer did not answer, or not so that we know what it did (docs/architecture.md#rule-7). */
export class AcquirerUnavailable extends Schema.TaggedError<AcquirerUnavailable>()("AcquirerUnavailable", {
  operation: Schema.String,
  reason: Schema.String,
}) {}

/** A request for a charge under our own txid, so that asking again is safe. */
export interface ChargeRequest {
  readonly txid: string
  /** Centavos. */
  readonly amount: number
  readonly expiresInSeconds: number
  /** Who is to pay; `document` is a bare CPF or CNPJ. */
  readonly customer: { readonly name: string; readonly document: string }
}

/** The acquirer's charge. `location`: where the payer's bank finds it (BR Code field 26-25), without scheme. */
export interface ChargeAccepted {
  readonly location: string
  /** The acquirer's own BR Code, checked, which is shown as it is; absent where ours is made of the location. */
  readonly brCode?: string
  /** When to ask the acquirer about the charge, in ms; undefined where it tells by itself. */
  readonly askAfterMillis: number | undefined
}

/** What an acquirer needs to report on a charge. */
export interface ChargeQuery {
  readonly txid: string
  readonly amount: number
  readonly status: TransactionStatus
  /** The transfer that paid it; null until then. */
  readonly endToEndId: string | null
  /** A transfer that a notice named, to be asked for besides: acquirers' lists lag behind. */
  readonly noticedEndToEndId: string | undefined
  /** How long ago the charge was created, in ms. */
  readonly ageMillis: number
}

/** Money that went back to a payer, as the acquirer says. */
export interface RefundReport {
  /** The acquirer's or our own id; by it a refund is applied once. */
  readonly id: string
  readonly amount: number
  /** `chargeback`: taken back by the payer's bank (MED); `refund`: given back. */
  readonly kind: "refund" | "chargeback"
  /** Only `done` has moved money. */
  readonly status: "processing" | "done" | "failed"
  /** Why the payer's bank took the money back; absent for refunds, and where the acquirer does not say. */
  readonly reason?: "MED_FRAUDE" | "MED_OPERACIONAL" | "MED_PIX_AUTOMATICO" | undefined
  /** The bank's id of the return (`rtrId`). */
  readonly returnId?: string | undefined
  /** When the bank settled it, in ms; absent until it is done, and where the acquirer does not say. */
  readonly settledMillis?: number | undefined
  /** Where it failed: the acquirer's code (`AM09`) and its own words, if it has them. */
  readonly failureCode?: string | undefined
  readonly failureReason?: string | undefined
  /** Where it failed because our own account at the acquirer lacked the money; this id is over all the same. */
  readonly isWithoutFunds?: true
  /** While it is processing, when to ask again, in ms; absent for the usual interval. */
  readonly askAfterMillis?: number | undefined
}

/**
 * What the acquirer says about a refund of ours. `unknown`: it never heard of it, which alone allows sending it again.
 */
export type RefundAnswer = RefundReport | { readonly status: "unknown" }

/** A refund of ours at the acquirer: the transfer that paid the charge, and our own id (`acquirerRefundIdOf`). */
export interface RefundRequest {
  readonly endToEndId: string
  /** 1 to 35 characters `[a-zA-Z0-9]`. */
  readonly refundId: string
  readonly amount: number
}

/** A transfer that a payer made to a charge. */
export interface PaymentReport {
  readonly endToEndId: string
  readonly amount: number
  readonly refunds: ReadonlyArray<RefundReport>
}

/** Everything the acquirer knows about a charge. Asked twice it says the same, so applying it is idempotent. */
export interface ChargeReport {
  readonly payments: ReadonlyArray<PaymentReport>
  /** The acquirer says that the charge was paid, and names no payment. */
  readonly isConcluded?: true
  /** Why the charge can never be paid, where the acquirer says so. */
  readonly failure: string | undefined
  /** When to ask again, in ms; undefined: nothing more is expected. */
  readonly askAfterMillis: number | undefined
}

/** A payout under our own id, which is stored before the call (docs/contract/withdrawals.md#payout). */
export interface PayoutRequest {
  /** The withdrawal's ULID, without prefix (`idEnvio`). */
  readonly payoutId: string
  readonly amount: number
  readonly pixKey: { readonly type: PixKeyType; readonly value: string }
  /** The bare CPF or CNPJ that the key must belong to, else the acquirer is to refuse; absent where none is known. */
  readonly holderDocument?: string
  readonly description: string | null
}

/** What the acquirer says about a payout. `unknown`: it never heard of it, which alone allows sending it again. */
export type PayoutReport =
  /** `returnedAmount`: centavos that came back after it was paid; absent for none. */
  | { readonly status: "paid"; readonly endToEndId: string; readonly returnedAmount?: number }
  /**
   * `reason` is the acquirer's code where it has one (`AC03`). `isWithoutFunds`: our own account there lacked the money; this id
   * is over all the same.
   */
  | { readonly status: "notPaid"; readonly reason: string; readonly isWithoutFunds?: true }
  /** `askAfterMillis`: when to ask again, in ms; undefined for the usual interval. */
  | { readonly status: "processing"; readonly askAfterMillis: number | undefined }
  /** It paid under our id, but another amount than ours, in centavos: never believed, and never dropped. Of queries only. */
  | {
      readonly status: "otherAmount"
      readonly amountThere: number
      readonly endToEndId: string | undefined
      readonly returnedAmount: number
    }
  | { readonly status: "unknown" }

/** A stretch of time of the acquirer's books, in ms; both ends are included. */
export interface BooksWindow {
  readonly fromMillis: number
  readonly toMillis: number
}

/** An item of the acquirer's books that cannot be read; ids as far as they can be. */
export interface UnreadableItem {
  /** Its place on the page, from 0. */
  readonly position: number
  /** SHA-256 in hex of its list and content: the same for as long as the acquirer shows the same. */
  readonly digest: string
  readonly endToEndId: string | undefined
  /** What would be our id of a payout. */
  readonly payoutId: string | undefined
  readonly txid: string | undefined
  /** What was expected where; repeats nothing of the item. */
  readonly problem: string
}

/**
 * A page of the acquirer's books; `next` asks for the following one, undefined at the end. Pages may repeat items of pages before: all
 * of a list that moved while it was read are read again.
 */
export interface BooksPage<A> {
  readonly items: ReadonlyArray<A>
  /** How many more items the page has that cannot be read; absent for none. */
  readonly unreadableCount?: number
  /** The first of these, at most `limits.sweepUnreadableReadMax`; absent for none. */
  readonly unreadable?: ReadonlyArray<UnreadableItem>
  readonly next: string | undefined
}

/** A Pix in the acquirer's books that came in, with what went back of it. */
export interface ReceivedPix extends PaymentReport {
  /** Undefined for a Pix that names no charge. */
  readonly txid: string | undefined
  /** When the acquirer received it, in ms; undefined where it does not say. */
  readonly receivedMillis: number | undefined
}

/** A payout in the acquirer's books. */
export interface SentPayout {
  /** Our id of it (`payoutIdOf`); undefined for one that did not go out under an id. */
  readonly payoutId: string | undefined
  readonly endToEndId: string | undefined
  readonly amount: number
  /** `returned`: it was paid, and all of it came back. */
  readonly status: "paid" | "notPaid" | "processing" | "returned"
  /** Of `notPaid`: the acquirer's code. */
  readonly reason: string | undefined
  /** Centavos of it that came back after it was paid. */
  readonly returnedAmount: number
  readonly sentMillis: number | undefined
}

/** Lists what the books have of a window, page by page. */
export type ListBooks<A> = (
  window: BooksWindow,
  page: string | undefined,
) => Effect.Effect<BooksPage<A>, AcquirerUnavailable>

/** The acquirer's books, page by page. */
export interface AcquirerBooks {
  readonly listReceived: ListBooks<ReceivedPix>
  /**
   * Lists the Pix that came in within the window and went back since, in part or whole, at any time. Absent where an acquirer has no
   * such list.
   */
  readonly listReturned?: ListBooks<ReceivedPix> | undefined
  /** Absent where an acquirer lists no payouts: nothing of them is compared then. */
  readonly listSent?: ListBooks<SentPayout> | undefined
}

/** An acquirer: it collects PIX charges and pays withdrawals. Every call has a deadline of its own. */
export interface Acquirer {
  readonly slug: string
  /**
   * The account at the acquirer: its slug and, where it has several accounts, a fingerprint. Charges and payouts of one
   * account are never asked about at another, nor sent there (docs/partner.md#rules-of-money).
   */
  readonly account: string
  /** Whether it answers within the process, at once: then a charge needs no lease before its commit. */
  readonly isLocal: boolean
  /** Safe to repeat under the same txid: a charge that exists already is the answer. */
  readonly createCharge: (
    request: ChargeRequest,
  ) => Effect.Effect<ChargeAccepted, AcquirerRefused | AcquirerUnavailable>
  readonly queryCharge: (query: ChargeQuery) => Effect.Effect<ChargeReport, AcquirerUnavailable>
  /**
   * Cancels an unpaid charge, so that nobody can pay it any more. `refused`: the acquirer leaves it as it is, perhaps because
   * it was paid meanwhile; ask before believing that it was not.
   */
  readonly cancelCharge: (txid: string) => Effect.Effect<"removed" | "refused", AcquirerUnavailable>
  /**
   * Refunds a payment under our own id, which is stored before the call; safe to repeat. Fails with `AcquirerRefused` only
   * where this sending surely has not moved money and will not.
   */
  readonly refund: (
    request: RefundRequest,
  ) => Effect.Effect<RefundReport, AcquirerRefused | AcquirerUnavailable>
  /** Asks about a refund of ours. */
  readonly queryRefund: (query: RefundRequest) => Effect.Effect<RefundAnswer, AcquirerUnavailable>
  /** Sends a payout once. Fails with `AcquirerRefused` only where the acquirer surely has not paid and will not. */
  readonly sendPayout: (
    request: PayoutRequest,
  ) => Effect.Effect<PayoutReport, AcquirerRefused | AcquirerUnavailable>
  readonly queryPayout: (query: {
    readonly payoutId: string
    readonly amount: number
  }) => Effect.Effect<PayoutReport, AcquirerUnavailable>
  /**
   * Finds a Pix that came in by its end-to-end id, and with it the charge that it names; `undefined` where the acquirer does not know
   * it. Absent where an acquirer has no such query.
   */
  readonly queryPix?:
    | ((endToEndId: string) => Effect.Effect<ReceivedPix | undefined, AcquirerUnavailable>)
    | undefined
  /** Reads what our account at the acquirer holds, in centavos. Absent where an acquirer does not tell. */
  readonly queryBalance?: Effect.Effect<number, AcquirerUnavailable> | undefined
  /** Whether operators make payouts in the bank's own application: then no payout is sent, and none is queried. */
  readonly hasManualPayouts?: boolean
  /** Undefined for an acquirer without books of its own (the simulator): it is not swept. */
  readonly books?: AcquirerBooks | undefined
}

/** The acquirer of each mode (docs/contract/transactions.md#acquirer). */
export class Acquirers extends Context.Service<Acquirers, Readonly<Record<Mode, Acquirer>>>()(
  "corrente/actors/Acquirers",
) {}

/** One fact in an acquirer's webhook body: a reason to ask the acquirer, never believed as it stands. */
export interface Notice {
  /** `pix.received`, `pix.refund`, `pix.sent`; null for a body that we cannot read. */
  readonly eventType: string | null
  /** The key that deduplicates it: endToEndId and kind, and a refund's id and status. */
  readonly providerEventId: string
  /** The txid of its charge, if any. */
  readonly txid: string | undefined
  /** The id of its payout, if any. */
  readonly payoutId: string | undefined
  readonly endToEndId: string | undefined
  /** The refund of that transfer, if the notice says that it is done. */
  readonly refundId: string | undefined
}

/** How an acquirer's notices are read and signed. */
export interface NoticeSource {
  readonly slug: string
  /**
   * The secret of `X-Webhook-Signature`; undefined where the proxy demands a client certificate
   * (docs/contract/notices.md#signature).
   */
  readonly secret: string | undefined
  /** The notices of a body; a body that cannot be read is one notice without a type. */
  readonly read: (rawBody: string) => ReadonlyArray<Notice>
}

/** The acquirers whose notices are accepted, by slug. */
export class NoticeSources extends Context.Service<NoticeSources, ReadonlyMap<string, NoticeSource>>()(
  "corrente/actors/NoticeSources",
) {}
