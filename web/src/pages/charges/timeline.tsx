import type { ComponentChildren } from "preact"
import type { Refund } from "../../../../schema/resources/refund.ts"
import type { Transaction } from "../../../../schema/resources/transaction.ts"
import { useList } from "../../api/resource.ts"
import { Link } from "../../app/router.tsx"
import { eventName } from "../../text/eventNames.ts"
import { textsOf } from "../../text/i18n.ts"
import { statusTone } from "../../text/statuses.ts"
import { Card, More, Shown } from "../../ui/page.tsx"
import { Moment, Money } from "../../ui/values.tsx"
import { type ChargeStep, chargeSteps } from "./chargeSteps.ts"
import { ToldOf, useDeliveries } from "./deliveries.tsx"
import { isEventOf } from "./rules.ts"

const texts = textsOf({
  "pt-BR": { title: "Linha do tempo", untold: "Nenhum webhook foi enviado.", webhooks: "Ver webhooks" },
  en: { title: "Timeline", untold: "No webhook was sent.", webhooks: "See webhooks" },
})

const StepAmount = ({ of: { amount, moves } }: { readonly of: ChargeStep }) => {
  if (amount === undefined) return null
  return (
    <span class="step-amount">
      {moves === "out" && "−"}
      <Money amount={amount} isSigned={moves === "in"} />
    </span>
  )
}

interface StepsProps {
  readonly of: ReadonlyArray<ChargeStep>
  /** Whether steps lead to their events. Default: false. */
  readonly hasLinks?: boolean
  /** What follows a step. */
  readonly after?: (step: ChargeStep) => ComponentChildren
}

/** What happened to a charge, in order, with its money. */
export const Steps = ({ of, hasLinks = false, after }: StepsProps) => (
  <ol class="timeline">
    {of.map((step, index) => {
      const { type, at, eventId } = step
      const name = eventName(type)
      return (
        // Steps are only ever added, and none has an id but its event's.
        <li key={index} data-type={type} data-tone={statusTone(type.split(".")[1] ?? "")}>
          <div class="step">
            {hasLinks && eventId !== undefined ? (
              <Link to={`/events?id=${eventId}`}>{name}</Link>
            ) : (
              <span>{name}</span>
            )}
            <StepAmount of={step} />
          </div>
          <small class="muted">
            <Moment at={at} />
          </small>
          {after?.(step)}
        </li>
      )
    })}
  </ol>
)

interface TimelineProps {
  readonly charge: Transaction
  readonly refunds: ReadonlyArray<Refund>
}

/** What happened to a charge, in order, and how the seller's systems were told of it. */
export const Timeline = ({ charge, refunds }: TimelineProps) => {
  const { id } = charge
  const events = useList(
    "GET /v1/me/events",
    { query: { resource_type: "transaction", resource_id: id, limit: 20 } },
    { reloadsOn: isEventOf(id) },
  )
  const deliveries = useDeliveries(id)
  const attempts = deliveries.value.value?.data
  return (
    <Card title={texts.value.title}>
      <Shown of={events}>
        {({ data }) => (
          <Steps
            of={chargeSteps(charge, refunds, data)}
            hasLinks
            after={({ eventId }) => <ToldOf of={deliveries} eventId={eventId} />}
          />
        )}
      </Shown>
      {attempts?.length === 0 && (
        <p class="muted untold">
          {texts.value.untold} <Link to="/webhooks">{texts.value.webhooks}</Link>
        </p>
      )}
      <More of={events} />
      <More of={deliveries} />
    </Card>
  )
}
