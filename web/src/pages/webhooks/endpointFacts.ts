import type { Endpoint } from "../../../../schema/resources/endpoint.ts"
import type { Answer } from "../../api/routes.ts"
import { eventName } from "../../text/eventNames.ts"
import { textsOf } from "../../text/i18n.ts"

const texts = textsOf({
  "pt-BR": { all: "Todos os eventos", count: (count: number) => `${count} tipos de evento` },
  en: { all: "All events", count: (count: number) => `${count} event types` },
})

/** How an endpoint has done. */
export type EndpointStats = Answer<"GET /v1/me/webhook-endpoints/:id/stats">

/** An endpoint's status as {@link statusText} knows it. */
export const statusOf = ({ enabled }: Endpoint): "enabled" | "disabled" => (enabled ? "enabled" : "disabled")

/** What an endpoint receives, in few words. */
export const eventsText = ({ events }: Endpoint): string => {
  const [first = ""] = events
  if (first === "*") return texts.value.all
  return events.length === 1 ? eventName(first) : texts.value.count(events.length)
}

/** Host and path of an address, or its stream, which tell endpoints apart; the address itself where it is none. */
export const placeOf = (url: string): string => {
  if (!URL.canParse(url)) return url
  const { protocol, host, pathname, search, searchParams } = new URL(url)
  if (protocol === "rediss:") return `${host} · ${searchParams.get("stream")}`
  return host + (pathname === "/" ? "" : pathname) + search
}

/** What an endpoint is called: by its seller, or else by where it is. */
export const nameOf = ({ url, description }: Endpoint): string => description || placeOf(url)
