import { HttpApi, OpenApi } from "effect/http-api"
import { deliveriesGroup } from "./deliveries.ts"
import { eventsGroup } from "./events.ts"
import { healthGroup } from "./health.ts"
import { transactionsGroup } from "./transactions.ts"

/** The contract: the one source of routes, decoding, `/openapi.json`, `/docs` and typed clients. */
export const api = HttpApi.make("corrente")
  .add(transactionsGroup, eventsGroup, deliveriesGroup, healthGroup)
  .annotate(OpenApi.Title, "Corrente")
  .annotate(OpenApi.Version, "0.1.0")
  .annotate(
    OpenApi.Description,
    "PIX charges, payouts, signed webhooks and an event feed. Errors use one envelope; lists are newest first with an opaque cursor.",
  )
