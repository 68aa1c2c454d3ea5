import type { FeedEvent } from "../../api/live.ts"
import { useList } from "../../api/resource.ts"
import { Link } from "../../app/router.tsx"
import { eventName } from "../../text/eventNames.ts"
import { textsOf } from "../../text/i18n.ts"
import { statusTone } from "../../text/statuses.ts"
import { Card, More, Shown } from "../../ui/page.tsx"
import { Moment } from "../../ui/values.tsx"
import { isEventOf } from "./rules.ts"

const texts = textsOf({
  "pt-BR": { title: "Linha do tempo", none: "Os eventos desta cobrança não são mais guardados." },
  en: { title: "Timeline", none: "The events of this charge are no longer kept." },
})

/** What happened to a charge, newest first. */
export const Timeline = ({ id }: { readonly id: string }) => {
  const events = useList<FeedEvent>(
    "/v1/me/events",
    { resource_type: "transaction", resource_id: id, limit: 20 },
    { reloadsOn: isEventOf(id) },
  )
  return (
    <Card title={texts.value.title}>
      <Shown of={events}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="muted">{texts.value.none}</p>
          ) : (
            <ol class="timeline">
              {data.map((event) => (
                <li key={event.id} data-tone={statusTone(event.type.split(".")[1] ?? "")}>
                  <Link to={`/events?id=${event.id}`}>{eventName(event.type)}</Link>
                  <small class="muted">
                    <Moment at={event.created_at} />
                  </small>
                </li>
              ))}
            </ol>
          )
        }
      </Shown>
      <More of={events} />
    </Card>
  )
}
