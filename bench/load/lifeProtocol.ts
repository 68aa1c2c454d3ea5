/** Requests to the receiver of whole lives. */
export type LifeReceiverRequest =
  /** Starts the receiver. */
  | { readonly kind: "listen" }
  /** Resets all counters; a sample of signatures is verified with this secret. */
  | { readonly kind: "expect"; readonly secret: string }
  | { readonly kind: "count" }
  /** Counts first deliveries in each second from a moment on, given as Unix time in ms. */
  | { readonly kind: "take"; readonly fromMillis: number; readonly seconds: number }

/** What it answers. */
export interface LifeReceiverAnswer {
  /** Charges that were delivered, each counted once. */
  readonly charges: number
  /** Requests beyond the first for a charge. */
  readonly repeats: number
  readonly bytesPerBody: number
  /** First deliveries by second. */
  readonly bySecond: ReadonlyArray<number>
  readonly problems: ReadonlyArray<string>
  readonly listening?: {
    readonly url: string
    readonly origin: string
    readonly caFile: string
    readonly secret: string
  }
}
