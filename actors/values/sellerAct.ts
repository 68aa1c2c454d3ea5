import { Context, Effect } from "effect"

/**
 * Who acts. Sellers are not told which operator it was, so an operator has neither id nor name. Nor has a recipient of a mail, who acts by
 * a link in it.
 */
export interface Actor {
  readonly type: "user" | "api_key" | "operator" | "recipient"
  readonly id: string | null
  readonly name: string | null
}

/** Something that is done to a seller's account, as its audit log tells it (docs/contract/audit-log.md). */
export interface SellerAct {
  readonly sellerId: string
  /** Names this one act: a call whose reply was lost and that comes again is the same act. */
  readonly operation: string
  /** Of `sellerActions`. */
  readonly action: string
  readonly actor: Actor
  readonly ipAddress: string | undefined
  readonly resourceType: string
  /** Undefined: the id that the store gives what it creates. */
  readonly resourceId: string | undefined
  /** Without secrets. */
  readonly details: Readonly<Record<string, unknown>>
  /** How long its entry is kept, in ms. */
  readonly keptMillis: number
}

/**
 * The act that a program does. The store appends it to the seller's audit log in the same commit as what it does, and not at all where
 * that is refused. Undefined: nothing is audited.
 */
export class CurrentAct extends Context.Reference<SellerAct | undefined>("corrente/actors/CurrentAct", {
  defaultValue: () => undefined,
}) {}

/** Runs a program as an act; undefined: it is none. */
export const asAct = <A, E, R>(
  act: SellerAct | undefined,
  program: Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> => (act === undefined ? program : Effect.provideService(program, CurrentAct, act))
