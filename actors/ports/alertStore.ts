import { Context, type Effect } from "effect"
import type { AlertChannel, AlertWhen } from "../../schema/names.ts"
import type { StoreUnavailable } from "../values/storeUnavailable.ts"

/** What a seller wants to hear of, as it is stored. */
export interface AlertChoice {
  /** All of it, as ciphertext. */
  readonly settings: string
  /** What goes by each channel. */
  readonly mail: ReadonlyArray<AlertWhen>
  readonly url: ReadonlyArray<AlertWhen>
  /** In centavos: below which balance, and from which charge on. Undefined: any is none. */
  readonly balanceBelow: number | undefined
  readonly chargeFrom: number | undefined
}

/** An alert that a seller is still to be told, by one channel. */
export interface OwedAlert {
  readonly channel: AlertChannel
  readonly when: AlertWhen
  /** What it is about: ids and amounts, by its `when`; `held_back` and an hour where others of the hour are held back. */
  readonly about: string
  /** How often it was tried before. */
  readonly tries: number
}

/** A leased alert. */
export interface ClaimedAlert extends OwedAlert {
  readonly sellerId: string
  readonly leaseEndMillis: number
}

/** Alerts of live mode (docs/contract/notifications.md). Commits owe them; one that is owed has its seller's timer. */
export class AlertStore extends Context.Service<
  AlertStore,
  {
    /** The stored settings (ciphertext); undefined where the seller has set none. */
    readonly settings: (sellerId: string) => Effect.Effect<string | undefined, StoreUnavailable>
    readonly save: (sellerId: string, choice: AlertChoice) => Effect.Effect<void, StoreUnavailable>
    /** Owes an alert of something that no commit of the seller's partition writes, by the channels that were chosen for it. */
    readonly raise: (
      sellerId: string,
      when: AlertWhen,
      about: string,
    ) => Effect.Effect<void, StoreUnavailable>
    /** Leases alerts that are due, and says what the seller has set (undefined: nothing). */
    readonly claim: (
      sellerId: string,
    ) => Effect.Effect<
      { readonly settings: string | undefined; readonly claimed: ReadonlyArray<ClaimedAlert> },
      StoreUnavailable
    >
    /** Ends an alert, or lets it be due again `againInMillis` later as one that was tried once more. `stale`: its lease was lost. */
    readonly finish: (
      alert: ClaimedAlert,
      againInMillis: number | undefined,
    ) => Effect.Effect<{ readonly kind: "finished" | "stale" }, StoreUnavailable>
  }
>()("corrente/actors/AlertStore") {}
