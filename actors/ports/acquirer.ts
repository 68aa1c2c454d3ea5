import { Context, type Effect, Schema } from "effect"
import type { Mode } from "../../schema/ids.ts"
import type { PixKeyType } from "../../schema/resources/pixKey.ts"
import type { TransactionStatus } from "../../schema/resources/transaction.ts"

/** The partner refused: nothing was created and no money will move. `reason` may be shown to the seller. */
export class AcquirerRefused extends Schema.TaggedError<AcquirerRefused>()("AcquirerRefused", {
  reason: Schema.String,
}) {}

/** The partner did not answer, or not in a way that tells what it did: unknown is not failed (rule 7). */
export class AcquirerUnavailable extends Schema.TaggedError<AcquirerUnavailable>()("AcquirerUnavailable", {
  operation: Schema.String,
  reason: Schema.String,
}) {}

/** A charge as the partner is asked for it, under our own txid, so that asking again is safe (rule 7). */
export interface ChargeRequest {
  readonly txid: string
  /** Centavos. */
  readonly amount: number
  readonly expiresInSeconds: number
  /** Who is to pay; `document` is a bare CPF or CNPJ. */
  readonly customer: { readonly name: string; readonly document: string }
}

/** What the partner made: where the payer's bank finds the charge (BR Code field 26-25), without scheme. */
export interface ChargeAccepted {
  readonly location: string
  /** When to ask the partner what became of it, in ms; undefined where it tells by itself. */
  readonly askAfterMillis: number | undefined
}

/** What a partner needs to tell what became of a charge. */
export interface ChargeQuery {
  readonly txid: string
  readonly amount: number
  readonly status: TransactionStatus
  /** The transfer that paid it; null until then. */
  readonly endToEndId: string | null
  /** A transfer that a notice named: asked for besides, since lists of partners lag behind. */
  readonly noticedEndToEndId: string | undefined
  /** How long ago the charge was created, in ms. */
  readonly ageMillis: number
}

/** Money that went back to a payer, by the partner's word. */
export interface RefundReport {
  /** The partner's or our id of it; one refund is applied once by it. */
  readonly id: string
  readonly amount: number
  /** `chargeback`: taken back by the payer's bank (MED); `refund`: given back. */
  readonly kind: "refund" | "chargeback"
  /** Only what is done has moved money. */
  readonly status: "processing" | "done" | "failed"
}

/** A transfer that a payer made to a charge. */
export interface PaymentReport {
  readonly endToEndId: string
  readonly amount: number
  readonly refunds: ReadonlyArray<RefundReport>
}

/** All that the partner knows of a charge; asked twice, it says the same, so applying it is idempotent. */
export interface ChargeReport {
  readonly payments: ReadonlyArray<PaymentReport>
  /** Why it can never be paid, where the partner says so. */
  readonly failure: string | undefined
  /** When to ask again, in ms; undefined: nothing more is expected. */
  readonly askAfterMillis: number | undefined
}

/** A payout, under our own id that is stored before the call (decisions 3). */
export interface PayoutRequest {
  /** The withdrawal's ULID, without prefix (`idEnvio`). */
  readonly payoutId: string
  readonly amount: number
  readonly pixKey: { readonly type: PixKeyType; readonly value: string }
  readonly description: string | null
}

/** What the partner says of a payout; `unknown` is its "never heard of it", and alone allows to send it again. */
export type PayoutReport =
  | { readonly status: "paid"; readonly endToEndId: string }
  /** `reason` is the partner's code where it has one (`AC03`). */
  | { readonly status: "notPaid"; readonly reason: string }
  /** `askAfterMillis`: when to ask, in ms; undefined for the usual rhythm. */
  | { readonly status: "processing"; readonly askAfterMillis: number | undefined }
  | { readonly status: "unknown" }

/** A partner that collects PIX charges and pays withdrawals. Every call has a deadline of its own. */
export interface Acquirer {
  readonly slug: string
  /**
   * Whose books at the partner: its slug and, where it has accounts, a fingerprint of which it is. What was made with one
   * is never asked of or sent to another.
   */
  readonly account: string
  /** Answers within the process, at once: the charge and its commit need no lease between them. */
  readonly isLocal: boolean
  /** Safe to repeat under the same txid: a charge that exists already is the answer. */
  readonly createCharge: (
    request: ChargeRequest,
  ) => Effect.Effect<ChargeAccepted, AcquirerRefused | AcquirerUnavailable>
  readonly queryCharge: (query: ChargeQuery) => Effect.Effect<ChargeReport, AcquirerUnavailable>
  /**
   * Takes an unpaid charge back, so that nobody pays it any more. `refused`: the partner leaves it as it is, perhaps
   * because it was paid meanwhile: ask before believing that it was not.
   */
  readonly cancelCharge: (txid: string) => Effect.Effect<"removed" | "refused", AcquirerUnavailable>
  /** Gives money of a payment back, under our own id (1 to 35 characters `[a-zA-Z0-9]`); safe to repeat. */
  readonly refund: (request: {
    readonly endToEndId: string
    readonly refundId: string
    readonly amount: number
  }) => Effect.Effect<RefundReport, AcquirerRefused | AcquirerUnavailable>
  /** Sends a payout once. `AcquirerRefused` only where the partner surely did not and will not pay. */
  readonly sendPayout: (
    request: PayoutRequest,
  ) => Effect.Effect<PayoutReport, AcquirerRefused | AcquirerUnavailable>
  readonly queryPayout: (query: {
    readonly payoutId: string
    readonly amount: number
  }) => Effect.Effect<PayoutReport, AcquirerUnavailable>
}

/** The acquirer of each mode (decisions 3). */
export class Acquirers extends Context.Service<Acquirers, Readonly<Record<Mode, Acquirer>>>()(
  "corrente/actors/Acquirers",
) {}

/** One thing that a provider's webhook body tells: a hint to ask the partner, never believed as it stands. */
export interface Notice {
  /** `pix.received`, `pix.refund`, `pix.sent`; null for a body that we cannot read. */
  readonly eventType: string | null
  /** What it is deduplicated by: endToEndId and kind, and a refund's id and status (decisions 3). */
  readonly providerEventId: string
  /** The charge's txid, where it names one. */
  readonly txid: string | undefined
  /** The payout's id, where it names one. */
  readonly payoutId: string | undefined
  readonly endToEndId: string | undefined
  /** The refund of that transfer that it says is done. */
  readonly refundId: string | undefined
}

/** A partner's webhook: how its bodies are read and how they are signed. */
export interface NoticeSource {
  readonly slug: string
  /** The secret of `X-Webhook-Signature`; undefined: the proxy demands a client certificate instead (decisions 3). */
  readonly secret: string | undefined
  /** The notices of a body; one that cannot be read is one notice without a type. */
  readonly read: (rawBody: string) => ReadonlyArray<Notice>
}

/** The partners whose webhooks are accepted, by slug. */
export class NoticeSources extends Context.Service<NoticeSources, ReadonlyMap<string, NoticeSource>>()(
  "corrente/actors/NoticeSources",
) {}
