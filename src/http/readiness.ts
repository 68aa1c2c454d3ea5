import { Context, type Effect } from "effect"

/** What one check of `/ready` says (spec 1). */
export type Check = "ok" | "skipped" | { readonly error: string }

/** Whether this process can serve: each dependency by name. */
export class Readiness extends Context.Service<
  Readiness,
  { readonly checks: Effect.Effect<Readonly<Record<string, Check>>> }
>()("corrente/http/Readiness") {}
