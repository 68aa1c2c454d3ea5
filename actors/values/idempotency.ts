/** A request under its `Idempotency-Key`, unique by seller, mode, route and key (docs/contract/README.md#idempotency). */
export interface IdempotencyScope {
  readonly route: string
  readonly key: string
  /** Hash of the raw body. */
  readonly fingerprint: string
  /** Names this execution: a lease taken under it is continued, one taken under another is respected. */
  readonly executionId: string
}

/** Answers to a request whose key was used before. */
export type IdempotencyAnswer =
  | { readonly kind: "replay"; readonly status: number; readonly body: string }
  | { readonly kind: "mismatch" }
  | { readonly kind: "inProgress" }
