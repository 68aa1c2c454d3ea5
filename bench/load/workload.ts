import { makeCreates, makeMixed, makeReads } from "./workloadCharges.ts"
import { makeHealthChecks } from "./workloadHealth.ts"
import { makeLists } from "./workloadList.ts"
import { makeReplays } from "./workloadReplay.ts"

/** A charge that a server has acknowledged. */
export interface AnsweredCharge {
  readonly id: string
  readonly amount: number
  /** When its response was read, as Unix time in ms with a fraction. */
  readonly answeredAtMillis: number
}

/** A repeated request, and how its responses are checked. */
export interface Workload {
  /** The next request of a connection; unchanged until that connection's next. */
  readonly next: (slot: number) => Uint8Array
  /** Checks the response; returns what is wrong, or undefined. */
  readonly check: (
    slot: number,
    status: number,
    bytes: Buffer,
    start: number,
    end: number,
  ) => string | undefined
  /** Totals over the correct responses so far. */
  readonly summary: () => WorkloadSummary
}

export interface WorkloadSummary {
  readonly answered: number
  /** Sum of the amounts in the responses, in centavos; lists do not count. */
  readonly amountSum: number
  /** Responses that created a charge, and the sum of their amounts. */
  readonly created: number
  readonly createdSum: number
  /** The first `keepMax` created charges. */
  readonly charges: ReadonlyArray<AnsweredCharge>
}

/** How charges are made. */
export interface CreateOptions {
  /** Last two digits of every amount: they select the outcome (docs/contract/transactions.md#test-amounts). */
  readonly amountEnding: number
  readonly keepMax: number
  /** 8 characters unique to the run: they start every Idempotency-Key. */
  readonly keyPrefix: string
  /** Keys to use in turn, one per seller; empty: the target's own key. */
  readonly apiKeys?: ReadonlyArray<string>
}

/** Work on charges whose totals can be compared with what is stored. */
export type ChargeWorkloadOptions =
  | ({ readonly kind: "create" } & CreateOptions)
  | { readonly kind: "read"; readonly charges: ReadonlyArray<AnsweredCharge> }
  /** Four reads per creation, of charges it has created. */
  | ({ readonly kind: "mixed" } & CreateOptions)
  /** Creates `distinct` charges and then repeats them with the same Idempotency-Keys and bytes. */
  | ({ readonly kind: "replay"; readonly distinct: number } & CreateOptions)
  /** Reads the first page of charges, which must show exactly `ids`, in order. */
  | { readonly kind: "list"; readonly ids: ReadonlyArray<string> }

/** `health` is GET /health: a request that needs only the event loop. */
export type WorkloadOptions = ChargeWorkloadOptions | { readonly kind: "health" }

/** The server under test, the key, and the number of connections. */
export interface WorkloadTarget {
  readonly port: number
  readonly apiKey: string
  readonly connections: number
  /** Sent with every request, if given. */
  readonly traceparent?: string
}

/** Makes the workload for a server. */
export const makeWorkload = (options: WorkloadOptions, target: WorkloadTarget): Workload => {
  switch (options.kind) {
    case "create":
      return makeCreates(options, target)
    case "read":
      return makeReads(options.charges, target)
    case "mixed":
      return makeMixed(options, target)
    case "replay":
      return makeReplays(options, target)
    case "list":
      return makeLists(options.ids, target)
    case "health":
      return makeHealthChecks(target)
  }
}
