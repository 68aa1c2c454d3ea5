import { formLimits } from "../../../../schema/formLimits.ts"
import type { Delivery } from "../../../../schema/resources/delivery.ts"
import { useEvery } from "../../api/every.ts"
import { call } from "../../api/http.ts"
import { failureOf, type List, useList } from "../../api/resource.ts"
import { Link } from "../../app/router.tsx"
import { failureText } from "../../text/failures.ts"
import { textsOf } from "../../text/i18n.ts"
import { Button } from "../../ui/button.tsx"
import { notify } from "../../ui/notice.tsx"
import { Foreign, Status, When } from "../../ui/values.tsx"
import { shortOutcomeText } from "../webhooks/attempts.ts"
import { readEndpoints } from "../webhooks/destinations.ts"
import { obstacleOf } from "../webhooks/rules.ts"
import { type Told, toldOf } from "./chargeSteps.ts"
import { isEventOf } from "./rules.ts"

const timesPt = (count: number) => (count === 1 ? "1 vez" : `${count} vezes`)
const timesEn = (count: number) => (count === 1 ? "once" : `${count} times`)

const texts = textsOf({
  "pt-BR": {
    oneReceived: "Webhook recebido",
    oneFailed: (times: number) => `Webhook falhou ${timesPt(times)}`,
    all: (count: number) => `${count} destinos: todos receberam`,
    some: (count: number, received: string, failed: string) => `${count} destinos: ${received}, ${failed}`,
    received: (count: number) =>
      count === 0 ? "nenhum recebeu" : count === 1 ? "1 recebeu" : `${count} receberam`,
    failed: (count: number, times: number) =>
      count === 1 ? `1 falhou ${timesPt(times)}` : `${count} falharam`,
    retry: "Tentar de novo",
    queued: "Nova tentativa na fila: ela aparece aqui assim que for feita.",
    off: "Há um destino desativado ou excluído: para ele nada foi enviado. Veja Webhooks.",
    attempt: (number: number) => `${number}ª tentativa`,
  },
  en: {
    oneReceived: "Webhook received",
    oneFailed: (times: number) => `Webhook failed ${timesEn(times)}`,
    all: (count: number) => `${count} destinations: all received it`,
    some: (count: number, received: string, failed: string) =>
      `${count} destinations: ${received}, ${failed}`,
    received: (count: number) => (count === 0 ? "none received it" : `${count} received it`),
    failed: (count: number, times: number) =>
      count === 1 ? `1 failed ${timesEn(times)}` : `${count} failed`,
    retry: "Try again",
    queued: "A new attempt is queued: it appears here once it was made.",
    off: "One of the destinations is disabled or deleted: nothing was sent to it. See Webhooks.",
    attempt: (number: number) => `attempt ${number}`,
  },
})

/** The feed tells of no attempts, so the list is read again while it can be seen. */
const everyMillis = 4_000

/** The attempts to tell the seller's systems of a charge, newest first. */
export const useDeliveries = (id: string): List<Delivery> => {
  const deliveries = useList(
    "GET /v1/me/webhook-deliveries",
    { query: { resource_id: id, limit: formLimits.pageSizeMax } },
    { reloadsOn: isEventOf(id) },
  )
  useEvery(everyMillis, deliveries.reload)
  return deliveries
}

const summaryOf = ({ newest, received, failing }: Told): string => {
  const { value } = texts
  const times = failing[0]?.attempt ?? 0
  if (newest.length === 1) return received === 1 ? value.oneReceived : value.oneFailed(times)
  if (failing.length === 0) return value.all(newest.length)
  return value.some(newest.length, value.received(received), value.failed(failing.length, times))
}

const Attempt = ({ of: delivery }: { readonly of: Delivery }) => (
  <li data-testid="delivery-row" data-id={delivery.id} data-status={delivery.status}>
    <Status status={delivery.status} />
    <Link to={`/deliveries/${delivery.id}`}>
      <Foreign>{delivery.target_host}</Foreign>
    </Link>
    <span class="muted">
      {texts.value.attempt(delivery.attempt)} · {shortOutcomeText(delivery)} ·{" "}
      <When at={delivery.created_at} />
    </span>
  </li>
)

interface ToldOfProps {
  readonly of: List<Delivery>
  readonly eventId: string | undefined
}

/** How one event fared at the seller's destinations, and what sends it again where it was given up; nothing where it went to none. */
export const ToldOf = ({ of, eventId }: ToldOfProps) => {
  const { value } = texts
  const told = toldOf((of.value.value?.data ?? []).filter(({ event_id }) => event_id === eventId))
  if (told.newest.length === 0) return null
  const lost = told.failing.filter(({ status }) => status === "dead")
  const retry = async () => {
    try {
      const endpoints = await readEndpoints()
      const sendable = lost.filter((delivery) => obstacleOf(delivery, endpoints) === undefined)
      for (const { id } of sendable)
        await call("POST /v1/me/webhook-deliveries/:id/retry", { params: { id } })
      notify(sendable.length < lost.length ? value.off : value.queued)
    } catch (cause) {
      notify(failureText(failureOf(cause)))
    }
    await of.reload()
  }
  return (
    <div class="told">
      <details data-testid="told">
        <summary class={told.failing.length > 0 ? "bad" : "muted"}>{summaryOf(told)}</summary>
        <ul class="attempts">
          {told.attempts.map((delivery) => (
            <Attempt key={delivery.id} of={delivery} />
          ))}
        </ul>
      </details>
      {lost.length > 0 && (
        <Button class="copy" needs="integrating" data-testid="told-retry" onClick={retry}>
          {value.retry}
        </Button>
      )}
    </div>
  )
}
