import { Effect } from "effect"
import { Command } from "effect/cli"
import { modes } from "../../../schema/ids.ts"
import { orderings } from "../../../schema/resources/endpoint.ts"
import { Endpoints } from "../../accounts/webhookSettings/endpoints.ts"
import { answer } from "../answer.ts"
import { choiceFlag, optionalFlag, textFlag } from "../parameters.ts"
import { fields, note } from "../text/blocks.ts"
import { time } from "../text/values.ts"

export const endpointCreate = Command.make(
  "create",
  {
    seller: textFlag("seller", "SELLER", "The seller's id, sel_…"),
    mode: choiceFlag("mode", "MODE", modes, "Whose events it receives."),
    url: textFlag("url", "URL", "https, port 443, a public host."),
    events: textFlag(
      "events",
      "TYPES",
      'Event types separated by commas, such as transaction.paid,transaction.refunded; or "*" for all.',
    ),
    description: optionalFlag(textFlag("description", "TEXT", "A note for people, at most 200 characters.")),
    ordering: optionalFlag(
      choiceFlag(
        "ordering",
        "ORDERING",
        orderings,
        "Default none; resource keeps the order of a resource's events.",
      ),
    ),
  },
  answer(
    Effect.fnUntraced(function* ({ seller, mode, url, events: list, description, ordering }) {
      const events = list
        .split(",")
        .map((type) => type.trim())
        .filter((type) => type !== "")
      const endpoints = yield* Endpoints
      return yield* endpoints.create({
        sellerId: seller,
        mode,
        url,
        events,
        description,
        ...(ordering === undefined ? {} : { ordering }),
      })
    }),
    (endpoint) => [
      fields(
        ["Endpoint", endpoint.id],
        ["URL", endpoint.url],
        ["Events", endpoint.events.join(", ")],
        ["Ordering", endpoint.ordering],
        ["Description", endpoint.description],
        ["Created", time(endpoint.created_at)],
        ["Secret", endpoint.secret],
      ),
      note("Keep the secret: it is shown only this once."),
    ],
  ),
).pipe(Command.withDescription("Register a webhook endpoint. Its secret is printed only this once."))
