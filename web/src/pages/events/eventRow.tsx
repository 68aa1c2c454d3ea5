import { useMemo } from "preact/hooks"
import type { FeedEvent } from "../../api/live.ts"
import { eventName } from "../../text/eventNames.ts"
import { formatClock, formatMoney } from "../../text/format.ts"
import { language } from "../../text/i18n.ts"
import { statusTone } from "../../text/statuses.ts"
import { Foreign } from "../../ui/values.tsx"
import { summaryOf } from "./rules.ts"

/** The height of every row, in pixels: two lines on a narrow screen, one on a wide one. */
export const rowHeight = 52

/** How an event is coloured, by what its type ends with. */
const toneOf = (type: string): string => statusTone(type.slice(type.lastIndexOf(".") + 1))

/** One event on one line. An event never changes, so its row is made once, however often the list moves. */
export const EventRow = ({ event }: { readonly event: FeedEvent }) =>
  useMemo(() => {
    const { id, amount, name } = summaryOf(event)
    return (
      <div class="event-line">
        <time class="event-time muted" dateTime={event.created_at}>
          {formatClock(event.created_at)}
        </time>
        <span class="event-type">
          <span class={`event-dot ${toneOf(event.type)}`} aria-hidden="true" />
          <span class="event-name">{eventName(event.type)}</span>
          <code class="muted">{event.type}</code>
        </span>
        <span class="event-what muted">
          {name !== undefined && <Foreign>{name}</Foreign>}
          {amount === undefined && name === undefined && id !== undefined && <code>{id}</code>}
        </span>
        <span class="event-amount money">{amount !== undefined && formatMoney(amount)}</span>
        <span class="event-seq muted">#{event.seq}</span>
      </div>
    )
  }, [event, language.value])
