import type { Endpoint } from "../../../../schema/resources/endpoint.ts"
import { eventName } from "../../text/eventNames.ts"
import { textsOf } from "../../text/i18n.ts"

const texts = textsOf({
  "pt-BR": { all: "Todos os eventos", count: (count: number) => `${count} tipos de evento` },
  en: { all: "All events", count: (count: number) => `${count} event types` },
})

/** The answer of `GET …/{id}/stats`. */
export interface EndpointStats {
  readonly success_rate_7d: number | null
  readonly deliveries_7d: number
  readonly last_ping_at: string | null
  readonly last_ping_ok: boolean | null
}

/** The path of an endpoint's routes. */
export const endpointPath = (id: string): string => `/v1/me/webhook-endpoints/${encodeURIComponent(id)}`

/** An endpoint's status as {@link statusText} knows it. */
export const statusOf = ({ enabled }: Endpoint): "enabled" | "disabled" => (enabled ? "enabled" : "disabled")

/** What an endpoint receives, in few words. */
export const eventsText = ({ events }: Endpoint): string => {
  const [first = ""] = events
  if (first === "*") return texts.value.all
  return events.length === 1 ? eventName(first) : texts.value.count(events.length)
}

/** The host of an address; the address itself where it is none. */
export const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url)
