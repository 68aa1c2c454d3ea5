/** What the receiver of whole lives is asked. */
export type LifeReceiverRequest =
  /** Starts it. */
  | { readonly kind: "listen" }
  /** Counts from now on, from nothing; a sample of signatures is checked with this secret. */
  | { readonly kind: "expect"; readonly secret: string }
  | { readonly kind: "count" }
  /** Tells what came in each second from a moment on, given as Unix time in ms. */
  | { readonly kind: "take"; readonly fromMillis: number; readonly seconds: number }

/** What it answers. */
export interface LifeReceiverAnswer {
  /** Charges that a delivery told of, each counted once. */
  readonly charges: number
  /** Requests beyond the first of a charge. */
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
