import { useEffect, useRef, useState } from "preact/hooks"
import { formLimits } from "../../../../schema/formLimits.ts"
import { call } from "../../api/http.ts"
import type { FeedEvent } from "../../api/live.ts"
import { useRead, useResource } from "../../api/resource.ts"
import { pathOfResource } from "../../app/resourceLinks.ts"
import { Link } from "../../app/router.tsx"
import { eventName } from "../../text/eventNames.ts"
import { textsOf } from "../../text/i18n.ts"
import { Button } from "../../ui/button.tsx"
import { Dialog } from "../../ui/dialog.tsx"
import { ReadError } from "../../ui/feedback.tsx"
import { Icon } from "../../ui/icons.tsx"
import { Facts, Shown } from "../../ui/page.tsx"
import { Skeleton } from "../../ui/skeleton.tsx"
import { Code, Copy, Foreign, Moment, Money, Status } from "../../ui/values.tsx"
import { jsonText, summaryOf } from "./rules.ts"

const texts = textsOf({
  "pt-BR": {
    title: "Evento",
    close: "Fechar o evento",
    type: "Tipo",
    at: "Quando",
    seq: "Sequência",
    resource: "Recurso",
    amount: "Valor",
    internal: "Entrega",
    internalWhy: "Evento interno: aparece aqui e na API, e não é enviado a webhooks.",
    trace: "Rastreamento",
    deliveries: "Entregas",
    refresh: "Atualizar",
    attempt: (attempt: number) => `Tentativa ${attempt}`,
    noDeliveries: "Nenhuma entrega: quando ele aconteceu, nenhum endpoint o assinava.",
    json: "JSON",
  },
  en: {
    title: "Event",
    close: "Close the event",
    type: "Type",
    at: "When",
    seq: "Sequence",
    resource: "Resource",
    amount: "Amount",
    internal: "Delivery",
    internalWhy: "Internal event: shown here and in the API, never sent to webhooks.",
    trace: "Trace",
    deliveries: "Deliveries",
    refresh: "Refresh",
    attempt: (attempt: number) => `Attempt ${attempt}`,
    noDeliveries: "No deliveries: no endpoint was subscribed to it when it happened.",
    json: "JSON",
  },
})

const Deliveries = ({ eventId }: { readonly eventId: string }) => {
  const deliveries = useRead("GET /v1/me/webhook-deliveries", {
    query: { event_id: eventId, limit: formLimits.pageSizeMax },
  })
  return (
    <section class="event-part">
      <header class="card-head">
        <h3>{texts.value.deliveries}</h3>
        <Button kind="quiet" onClick={deliveries.reload}>
          {texts.value.refresh}
        </Button>
      </header>
      <Shown of={deliveries}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="muted">{texts.value.noDeliveries}</p>
          ) : (
            <ul class="event-deliveries">
              {data.map(({ id, status, attempt, target_host, created_at }) => (
                <li key={id} data-testid="delivery-row" data-id={id} data-status={status}>
                  <Status status={status} />
                  <Link to={`/deliveries/${id}`}>{texts.value.attempt(attempt)}</Link>
                  <Foreign>{target_host}</Foreign>
                  <Moment at={created_at} />
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </section>
  )
}

const Facets = ({ event }: { readonly event: FeedEvent }) => {
  const { object, id = "", amount } = summaryOf(event)
  const to = id === "" ? undefined : pathOfResource(object, id)
  const json = jsonText(event)
  return (
    <>
      <Facts
        of={[
          [
            texts.value.type,
            <span key="type">
              {eventName(event.type)} <Code>{event.type}</Code>
            </span>,
          ],
          [texts.value.at, <Moment key="at" at={event.created_at} />],
          [texts.value.seq, String(event.seq)],
          [texts.value.amount, amount === undefined ? undefined : <Money key="amount" amount={amount} />],
          [texts.value.resource, to === undefined ? id : <Link to={to}>{id}</Link>],
          [texts.value.trace, event.trace_id],
          [texts.value.internal, event.internal ? texts.value.internalWhy : undefined],
        ]}
      />
      {event.internal ? null : <Deliveries eventId={event.id} />}
      <section class="event-part">
        <header class="card-head">
          <h3>{texts.value.json}</h3>
          <Copy text={json} />
        </header>
        <pre class="event-json">{json}</pre>
      </section>
    </>
  )
}

const wideScreen = "(min-width: 1000px)"

const useIsWide = (): boolean => {
  const [isWide, setWide] = useState(() => matchMedia(wideScreen).matches)
  useEffect(() => {
    const media = matchMedia(wideScreen)
    const follow = () => setWide(media.matches)
    media.addEventListener("change", follow)
    return () => media.removeEventListener("change", follow)
  }, [])
  return isWide
}

interface EventDetailProps {
  readonly id: string
  /** The event, where the page has it already. */
  readonly known: FeedEvent | undefined
  readonly onClose: () => void
}

/** One event beside the list, or over it on a narrow screen. */
export const EventDetail = ({ id, known, onClose }: EventDetailProps) => {
  const first = useRef(known)
  const read = useResource(`event ${id}`, (signal) =>
    first.current === undefined
      ? call("GET /v1/me/events/:id", { params: { id }, signal })
      : Promise.resolve(first.current),
  )
  const event = read.value.value ?? known
  const error = read.error.value
  const content =
    event !== undefined ? (
      <Facets event={event} />
    ) : error === undefined ? (
      <Skeleton lines={6} />
    ) : (
      <ReadError error={error} onRetry={read.reload} />
    )
  if (!useIsWide()) {
    return (
      <Dialog title={texts.value.title} onClose={onClose}>
        <p class="event-id">
          <Code>{id}</Code> <Copy text={id} />
        </p>
        {content}
      </Dialog>
    )
  }
  return (
    <section class="events-detail card" aria-label={texts.value.title}>
      <header class="card-head">
        <h2>{texts.value.title}</h2>
        <Button kind="quiet" aria-label={texts.value.close} onClick={onClose}>
          <Icon name="close" />
        </Button>
      </header>
      <p class="event-id">
        <Code>{id}</Code> <Copy text={id} />
      </p>
      {content}
    </section>
  )
}
