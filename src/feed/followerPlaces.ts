import { feedLimits } from "./feedLimits.ts"
import type { Following } from "./feedStream.ts"

/** Whose place it is. */
export type PlaceOwner = Pick<Following, "chargeId" | "client">

const change = (counts: Map<string, number>, name: string, by: 1 | -1): void => {
  const count = (counts.get(name) ?? 0) + by
  if (count === 0) counts.delete(name)
  else counts.set(name, count)
}

/** Counts the streams of this process that follow a charge, and bounds them (docs/contract/limits.md#payment-pages). */
export class FollowerPlaces {
  readonly #ofCharges = new Map<string, number>()
  readonly #ofClients = new Map<string, number>()
  #taken = 0

  /** Places that are taken. */
  get taken(): number {
    return this.#taken
  }

  /** Takes a place; else says which bound leaves none: of the charge or the client, or of the process. */
  take({ chargeId, client }: PlaceOwner): "taken" | "tooMany" | "full" {
    const ofCharge = this.#ofCharges.get(chargeId) ?? 0
    const ofClient = this.#ofClients.get(client) ?? 0
    if (ofCharge >= feedLimits.statusStreamsPerChargeMax || ofClient >= feedLimits.statusStreamsPerClientMax)
      return "tooMany"
    if (this.#taken >= feedLimits.statusStreamsMax) return "full"
    this.#change({ chargeId, client }, 1)
    return "taken"
  }

  /** Gives a place back that was taken. */
  leave(owner: PlaceOwner): void {
    this.#change(owner, -1)
  }

  #change({ chargeId, client }: PlaceOwner, by: 1 | -1): void {
    change(this.#ofCharges, chargeId, by)
    change(this.#ofClients, client, by)
    this.#taken += by
  }
}
