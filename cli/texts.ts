import type { ConnectionState, Event, ReplayGap, Transaction } from "../client/src/index.ts"
import { inert } from "../src/ops/text/values.ts"
import type { Output } from "./output.ts"

/** Centavos in reais, as Brazil writes them. */
const reais = (centavos: number): string =>
  (centavos / 100).toLocaleString("pt-BR", { style: "currency", currency: "BRL" }).replace("\u00a0", " ")

/** `10:32:07`, in the machine's own time zone. */
export const timeOf = (millis: number): string => new Date(millis).toTimeString().slice(0, 8)

const typeWidth = 30

const resourceOf = ({ data }: Event): { readonly id?: string; readonly status?: string } => data.object

/** A line about an event: what happened to what. */
export const eventText = ({ paint }: Output["Service"], event: Event): string => {
  const { id = "", status = "" } = resourceOf(event)
  const resource = inert(`${id} ${status}`)
  const time = paint("dim", timeOf(Date.parse(event.created_at)))
  const seq = paint("dim", `#${event.seq}`)
  return `${time} ${paint("cyan", inert(event.type).padEnd(typeWidth))} ${inert(event.id)}  ${resource}  ${seq}`
}

/** What a gap means, in words. */
export const gapText = ({ requested, oldest_event_id: oldest }: ReplayGap): string => {
  const begin =
    oldest === null ? "with the next event, as none is kept" : `with the oldest one kept, ${oldest}`
  const from = requested.startsWith("evt_") ? `after ${requested}` : "since the start"
  return inert(
    `Events ${from} are missing: the service no longer keeps them, or does not know this id. It goes on ${begin}.`,
  )
}

/** How the connection broke, and what comes next. */
export const brokenText = ({ error, retryMillis }: Extract<ConnectionState, { isOpen: false }>): string => {
  const why =
    error === undefined ? "The service ended the stream" : `The connection broke (${inert(error.code)})`
  return `${why}; trying again in ${(retryMillis / 1_000).toFixed(1)} s. Nothing is lost meanwhile.`
}

/** The lines about a charge: id, amount, and when it ends. */
export const chargeText = (
  { paint }: Output["Service"],
  charge: Pick<Transaction, "id" | "amount" | "status" | "expires_at">,
): string =>
  `${paint("bold", inert(charge.id))}  ${reais(charge.amount)}  ${inert(`${charge.status}, expires ${charge.expires_at}`)}`
