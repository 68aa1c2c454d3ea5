import { Context, type Effect } from "effect"

/** The result of one check of `/ready` (`docs/contract/health.md#readiness`). */
export type Check = "ok" | "skipped" | { readonly error: string }

/** Whether this process can serve, per dependency. */
export class Readiness extends Context.Service<
  Readiness,
  { readonly checks: Effect.Effect<Readonly<Record<string, Check>>> }
>()("corrente/http/Readiness") {}
