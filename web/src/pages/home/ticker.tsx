import { useEffect, useRef } from "preact/hooks"
import { type FeedEvent, onEvent } from "../../api/live.ts"
import { type List, useList } from "../../api/resource.ts"
import { Link } from "../../app/router.tsx"
import { eventName } from "../../text/eventNames.ts"
import { formatHour } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { statusTone } from "../../text/statuses.ts"
import { Card, Shown } from "../../ui/page.tsx"
import { Skeleton } from "../../ui/skeleton.tsx"
import { Foreign, Money } from "../../ui/values.tsx"
import { amountOfEvent, mergedEvents, pageOfEvent, payerOfEvent } from "./figures.ts"

const texts = textsOf({
  "pt-BR": {
    title: "Acontecendo agora",
    all: "Ver eventos",
    none: "Nada aconteceu ainda. Cobranças, devoluções e saques aparecem aqui na hora.",
  },
  en: {
    title: "Happening now",
    all: "See events",
    none: "Nothing has happened yet. Charges, refunds and withdrawals appear here at once.",
  },
})

const shownMax = 6
/** Events of a burst are shown together, so that the page stays still enough to read. */
const gatherMillis = 250

/** The newest events: those read when the page opened, and all that the feed brought since. */
const useNewest = (): List<FeedEvent> => {
  const events = useList("GET /v1/me/events", { query: { limit: shownMax } })
  const gathered = useRef<ReadonlyArray<FeedEvent>>([])
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const show = () => {
      timer = undefined
      const shown = events.value.peek()
      // What comes during a reading waits for its end, which would replace it.
      if (shown === undefined || events.isLoading.peek()) {
        timer = setTimeout(show, gatherMillis)
        return
      }
      events.set({ ...shown, data: mergedEvents(gathered.current, shown.data, shownMax) })
      gathered.current = []
    }
    const leave = onEvent((event) => {
      gathered.current = mergedEvents([event], gathered.current, shownMax)
      timer ??= setTimeout(show, gatherMillis)
    })
    return () => {
      clearTimeout(timer)
      leave()
    }
  }, [events])
  return events
}

const Row = ({ event }: { readonly event: FeedEvent }) => {
  const amount = amountOfEvent(event)
  const payer = payerOfEvent(event)
  return (
    <li data-tone={statusTone(event.type.split(".")[1] ?? "")} data-id={event.id} data-type={event.type}>
      <time class="muted" dateTime={event.created_at}>
        {formatHour(event.created_at)}
      </time>
      <span class="ticker-what">
        <Link to={pageOfEvent(event)}>{eventName(event.type)}</Link>
        {payer !== undefined && (
          <span class="muted">
            <Foreign>{payer}</Foreign>
          </span>
        )}
      </span>
      {amount !== undefined && <Money amount={amount} />}
    </li>
  )
}

/** What happens, as it happens. */
export const Ticker = () => {
  const events = useNewest()
  return (
    <Card title={texts.value.title} actions={<Link to="/events">{texts.value.all}</Link>}>
      <Shown of={events} skeleton={<Skeleton rows={shownMax} />}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="muted">{texts.value.none}</p>
          ) : (
            <ol class="ticker">
              {data.map((event) => (
                <Row key={event.id} event={event} />
              ))}
            </ol>
          )
        }
      </Shown>
    </Card>
  )
}
