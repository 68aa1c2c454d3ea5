import { Context } from "effect"

/**
 * The trace id of the resource that a call to an acquirer is about, which the adapter may pass on
 * (docs/contract/README.md#tracing). Undefined: none.
 */
export const CurrentTrace = Context.Reference<string | undefined>("corrente/actors/CurrentTrace", {
  defaultValue: () => undefined,
})
