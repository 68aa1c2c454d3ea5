import { Effect } from "effect"
import { validationFailed } from "../../../schema/errors.ts"
import { modes } from "../../../schema/ids.ts"
import { Endpoints } from "../../accounts/webhookSettings/endpoints.ts"
import { defineCommand } from "../command.ts"

export const endpointCreate = defineCommand({
  name: "endpoint create",
  help: "Registers a webhook endpoint. Its secret is printed this once.",
  parameters: {
    seller: { kind: "option", required: true, placeholder: "SELLER", help: "The seller's id, sel_…" },
    mode: { kind: "option", required: true, placeholder: "MODE", help: "live or test." },
    url: { kind: "option", required: true, placeholder: "URL", help: "https, port 443, a public host." },
    events: {
      kind: "option",
      required: true,
      placeholder: "TYPES",
      help: 'Event types with commas between, such as transaction.paid,transaction.refunded; or "*" for all.',
    },
    description: {
      kind: "option",
      required: false,
      placeholder: "TEXT",
      help: "At most 200 characters, for people.",
    },
  },
  run: Effect.fnUntraced(function* ({ seller, mode: modeText, url, events: list, description }) {
    const mode = modes.find((known) => known === modeText)
    if (mode === undefined) return yield* validationFailed("mode", `mode must be ${modes.join(" or ")}.`)
    const events = list
      .split(",")
      .map((type) => type.trim())
      .filter((type) => type !== "")
    const endpoints = yield* Endpoints
    return yield* endpoints.create({ sellerId: seller, mode, url, events, description })
  }),
})
