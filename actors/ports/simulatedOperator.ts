import { Context } from "effect"

/** Test mode's operator, who decides withdrawals after a delay (`SIMULATOR_DELAY_MS`). */
export class SimulatedOperator extends Context.Service<SimulatedOperator, { readonly delayMillis: number }>()(
  "corrente/actors/SimulatedOperator",
) {}
