import { Context, type Effect, Schema } from "effect"
import type { Mode } from "../../schema/ids.ts"
import type { TransactionStatus } from "../../schema/resources/transaction.ts"

/** The partner refused the charge: nothing was created (502 `acquirer_error`, saved under the key). */
export class ChargeRefused extends Schema.TaggedError<ChargeRefused>()("ChargeRefused", {
  reason: Schema.String,
}) {}

/** A charge as the partner is asked for it, under our own txid, so that asking again is safe (rule 7). */
export interface ChargeRequest {
  readonly txid: string
  readonly amount: number
  readonly expiresInSeconds: number
}

/** What the partner made: where the payer's bank finds the charge (BR Code field 26-25), without scheme. */
export interface ChargeAccepted {
  readonly location: string
  /** When to ask the partner what became of it, in ms; undefined where it tells by itself. */
  readonly askAfterMillis: number | undefined
}

/** What the partner says of a charge when asked; `paid` carries the transfer's identifier. */
export type ChargeOutcome =
  | { readonly status: "paid"; readonly endToEndId: string; readonly askAfterMillis: number | undefined }
  | { readonly status: "failed"; readonly reason: string }
  | { readonly status: "refunded" | "chargeback" }
  | { readonly status: "unchanged"; readonly askAfterMillis: number | undefined }

/** A partner that collects PIX charges. */
export interface Acquirer {
  readonly slug: string
  /** Answers within the process, at once: the charge and its commit need no lease between them. */
  readonly isLocal: boolean
  readonly createCharge: (request: ChargeRequest) => Effect.Effect<ChargeAccepted, ChargeRefused>
  readonly query: (charge: {
    readonly amount: number
    readonly status: TransactionStatus
  }) => Effect.Effect<ChargeOutcome>
}

/** The acquirer of each mode (decisions 3). */
export class Acquirers extends Context.Service<Acquirers, Readonly<Record<Mode, Acquirer>>>()(
  "corrente/actors/Acquirers",
) {}
