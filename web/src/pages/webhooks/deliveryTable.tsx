import type { Delivery } from "../../../../schema/resources/delivery.ts"
import type { List } from "../../api/resource.ts"
import { Link, queryChoice } from "../../app/router.tsx"
import { eventName } from "../../text/eventNames.ts"
import { formatCount } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { statusText } from "../../text/statuses.ts"
import { Empty } from "../../ui/feedback.tsx"
import { Select } from "../../ui/form.tsx"
import { More, NoneYet, Shown, Table } from "../../ui/page.tsx"
import { Foreign, Moment, Status } from "../../ui/values.tsx"
import { outcomeText } from "./outcomes.ts"

const texts = textsOf({
  "pt-BR": {
    label: "Tentativas de entrega",
    when: "Quando",
    status: "Situação",
    event: "Evento",
    to: "Destino",
    attempt: "Tentativa",
    outcome: "Resultado",
    all: "Todas",
    test: "teste",
    none: "Nenhuma tentativa nesta situação",
    endpoint: "Endpoint",
    postback: "Postback",
    tracker: "Rastreador",
  },
  en: {
    label: "Delivery attempts",
    when: "When",
    status: "Status",
    event: "Event",
    to: "Destination",
    attempt: "Attempt",
    outcome: "Outcome",
    all: "All",
    test: "test",
    none: "No attempts with this status",
    endpoint: "Endpoint",
    postback: "Postback",
    tracker: "Tracker",
  },
})

/** The kind of a destination, in words. */
export const targetText = (target: Delivery["target"]): string => texts.value[target]

/** Attempts with a link to each; `showsTarget` where they have several destinations. */
export const DeliveryTable = ({
  of,
  showsTarget = false,
}: {
  readonly of: ReadonlyArray<Delivery>
  readonly showsTarget?: boolean
}) => {
  const { value } = texts
  const destination = showsTarget ? [value.to] : []
  return (
    <Table
      label={value.label}
      columns={[value.when, value.status, value.event, ...destination, value.attempt, value.outcome]}
    >
      {of.map((attempt) => (
        <tr key={attempt.id} data-testid="delivery-row" data-id={attempt.id} data-status={attempt.status}>
          <td data-label={value.when}>
            <Link to={`/deliveries/${attempt.id}`}>
              <Moment at={attempt.created_at} />
            </Link>
          </td>
          <td data-label={value.status}>
            <Status status={attempt.status} />
          </td>
          <td data-label={value.event}>
            <span>
              {eventName(attempt.event_type)} {attempt.test_event && <small>({value.test})</small>}
              <small class="event-type muted">{attempt.event_type}</small>
            </span>
          </td>
          {showsTarget && (
            <td data-label={value.to}>
              <span>
                {targetText(attempt.target)}{" "}
                <small class="event-type muted">
                  <Foreign>{attempt.target_host}</Foreign>
                </small>
              </span>
            </td>
          )}
          <td data-label={value.attempt}>{formatCount(attempt.attempt)}</td>
          <td data-label={value.outcome}>{outcomeText(attempt)}</td>
        </tr>
      ))}
    </Table>
  )
}

const statuses = ["success", "failed", "dead"] as const

/** The status of attempts that the address asks for; undefined: all. */
export const shownStatus = () => queryChoice("status", statuses)

/** Chooses the status of attempts; the address keeps it. */
export const StatusFilter = ({
  status,
  onChange,
}: {
  readonly status: string | undefined
  readonly onChange: (status: string) => void
}) => (
  <Select
    label={texts.value.status}
    value={status ?? ""}
    data-testid="delivery-status-filter"
    onChange={(event) => onChange(event.currentTarget.value)}
  >
    <option value="">{texts.value.all}</option>
    {statuses.map((known) => (
      <option key={known} value={known}>
        {statusText(known)}
      </option>
    ))}
  </Select>
)

/** A list of attempts, with what is said while it has none. */
export const Deliveries = ({
  of,
  isFiltered,
  none,
  noneHint,
  showsTarget = false,
}: {
  readonly of: List<Delivery>
  readonly isFiltered: boolean
  readonly none: string
  readonly noneHint: string
  readonly showsTarget?: boolean
}) => (
  <Shown of={of}>
    {({ data, next_cursor }) => (
      <>
        {data.length > 0 ? (
          <DeliveryTable of={data} showsTarget={showsTarget} />
        ) : next_cursor !== null ? (
          <NoneYet />
        ) : isFiltered ? (
          <Empty title={texts.value.none} />
        ) : (
          <Empty title={none}>{noneHint}</Empty>
        )}
        <More of={of} />
      </>
    )}
  </Shown>
)
