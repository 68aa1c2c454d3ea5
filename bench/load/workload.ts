import { makeCreates, makeMixed, makeReads } from "./workloadCharges.ts"
import { makeHealthChecks } from "./workloadHealth.ts"
import { makeLists } from "./workloadList.ts"
import { makeReplays } from "./workloadReplay.ts"

/** A charge that a server has answered for. */
export interface AnsweredCharge {
  readonly id: string
  readonly amount: number
  /** When its answer was read, as Unix time in ms with a fraction. */
  readonly answeredAtMillis: number
}

/** What is asked of a server again and again, and how its answers are checked. */
export interface Workload {
  /** The next request of a connection; it stays as it is until that connection's next. */
  readonly next: (slot: number) => Uint8Array
  /** Checks the answer to it; undefined where it is right, else what is wrong. */
  readonly check: (
    slot: number,
    status: number,
    bytes: Buffer,
    start: number,
    end: number,
  ) => string | undefined
  /** What the right answers so far add up to. */
  readonly summary: () => WorkloadSummary
}

export interface WorkloadSummary {
  readonly answered: number
  /** Sum of the amounts in the answers, in centavos; lists do not count. */
  readonly amountSum: number
  /** How many of the answers made a charge, and the sum of these amounts. */
  readonly created: number
  readonly createdSum: number
  /** Created charges, the first `keepMax`. */
  readonly charges: ReadonlyArray<AnsweredCharge>
}

/** How charges are made. */
export interface CreateOptions {
  /** Last two digits of all amounts: what the simulator does with them (decisions 2). */
  readonly amountEnding: number
  readonly keepMax: number
  /** 8 characters that no other run has: they begin every Idempotency-Key. */
  readonly keyPrefix: string
  /** Keys that ask in turn, of as many sellers; the target's own where there are none. */
  readonly apiKeys?: ReadonlyArray<string>
}

/** Work on charges, whose answers add up to what is stored. */
export type ChargeWorkloadOptions =
  | ({ readonly kind: "create" } & CreateOptions)
  | { readonly kind: "read"; readonly charges: ReadonlyArray<AnsweredCharge> }
  /** Four reads a creation, of what it has created. */
  | ({ readonly kind: "mixed" } & CreateOptions)
  /** Makes `distinct` charges, and then asks for these again, with their Idempotency-Keys and bytes. */
  | ({ readonly kind: "replay"; readonly distinct: number } & CreateOptions)
  /** The first page of charges, as long as `ids`, which must be what it shows, in order. */
  | { readonly kind: "list"; readonly ids: ReadonlyArray<string> }

/** `health` is GET /health: a request that waits for nothing but the event loop. */
export type WorkloadOptions = ChargeWorkloadOptions | { readonly kind: "health" }

/** The server that is asked, the key that asks, and over how many connections. */
export interface WorkloadTarget {
  readonly port: number
  readonly apiKey: string
  readonly connections: number
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
