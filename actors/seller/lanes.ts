import { Effect } from "effect"
import { limits } from "../../schema/limits.ts"
import type { ActorSelf } from "../runtime/actor.ts"

/**
 * How many programs of each lane run at a time beside one seller's actor. Calls to a remote acquirer have a lane for each
 * purpose: charges that hang there must hold up neither a payout nor the notices about other charges.
 */
const laneSizes = {
  /** Charges of a local acquirer. */
  creating: limits.commitBatchMax,
  /** Charges of a remote acquirer. */
  charging: limits.acquirerCallsPerSellerMax,
  /** Charges that their timers reconcile. */
  polling: limits.acquirerCallsPerSellerMax,
  /** Charges that notices tell of. */
  noticing: limits.acquirerCallsPerSellerMax,
  /** Payouts: sent, polled by their timers, and told of by notices. */
  paying: limits.acquirerCallsPerSellerMax,
  /** Refunds: sent, polled by their timers, and told of by notices. */
  refunding: limits.acquirerCallsPerSellerMax,
  /** Charges' timers that came due together. */
  firing: limits.dueTimersInHandMax,
} as const

export type LaneName = keyof typeof laneSizes

/** Where a message runs. `whenFull`: the actor runs it itself and its mailbox fills, or refuses it. */
export interface Lane {
  readonly name: LaneName
  readonly whenFull: "wait" | "refuse"
}

/** The lanes of one seller's actor: what runs in them does not hold up the actor's other messages. */
export class Lanes {
  readonly #self: Pick<ActorSelf<never>, "run">
  readonly #sizes: Record<LaneName, number> = {
    creating: 0,
    charging: 0,
    polling: 0,
    noticing: 0,
    paying: 0,
    refunding: 0,
    firing: 0,
  }

  constructor(self: Pick<ActorSelf<never>, "run">) {
    this.#self = self
  }

  /** Runs a program in a lane and does not wait for it; `orElse` where the lane is full. */
  runInLane(
    name: LaneName,
    program: Effect.Effect<unknown>,
    orElse: Effect.Effect<unknown>,
  ): Effect.Effect<unknown> {
    return Effect.suspend(() => {
      if (this.#sizes[name] >= laneSizes[name]) return orElse
      this.#sizes[name] += 1
      const leave = Effect.sync(() => {
        this.#sizes[name] -= 1
      })
      return this.#self.run(Effect.ensuring(program, leave))
    })
  }
}
