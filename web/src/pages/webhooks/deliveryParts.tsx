import type { Delivery } from "../../../../schema/resources/delivery.ts"
import { formatCount } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { statusTone } from "../../text/statuses.ts"
import { Icon } from "../../ui/icons.tsx"
import { type DeliveryState, type EventDelivery, stateOf } from "./rules.ts"

const texts = textsOf({
  "pt-BR": {
    received: "Entregue",
    trying: "Tentando de novo",
    failed: (count: string) => `Falhou (${count} de ${count})`,
    attemptFailed: "Esta tentativa falhou",
    attempts: (count: number) => (count === 1 ? "1 tentativa" : `${formatCount(count)} tentativas`),
    lastReceived: "a última foi recebida",
    allFailed: "nenhuma recebida",
  },
  en: {
    received: "Delivered",
    trying: "Trying again",
    failed: (count: string) => `Failed (${count} of ${count})`,
    attemptFailed: "This attempt failed",
    attempts: (count: number) => (count === 1 ? "1 attempt" : `${formatCount(count)} attempts`),
    lastReceived: "the last one was received",
    allFailed: "none received",
  },
})

const tones: Readonly<Record<DeliveryState, string>> = {
  received: statusTone("success"),
  trying: statusTone("pending"),
  failed: statusTone("dead"),
}

/** How a delivery stands: of one that failed, after how many of how many attempts. */
export const DeliveryStatus = ({
  newest,
  testId,
}: {
  readonly newest: Delivery
  readonly testId?: string
}) => {
  const state = stateOf(newest)
  const text = texts.value[state]
  return (
    <span class={`status ${tones[state]}`} data-status={newest.status} data-testid={testId}>
      {typeof text === "string" ? text : text(formatCount(newest.attempt))}
    </span>
  )
}

/** How one attempt of a delivery ended: what comes next is said only of the newest. */
export const AttemptStatus = ({ of, newest }: { readonly of: Delivery; readonly newest: Delivery }) =>
  of.status === "success" || of.attempt >= newest.attempt ? (
    <DeliveryStatus newest={of} testId="delivery-status" />
  ) : (
    <span class={`status ${tones.failed}`} data-status={of.status} data-testid="delivery-status">
      {texts.value.attemptFailed}
    </span>
  )

/** Dots that a row has room for. */
const dotsMax = 8

/** A delivery's attempts, a mark each: failures, and how the newest one ended. */
export const AttemptDots = ({ of: { newest, state } }: { readonly of: EventDelivery }) => {
  const { value } = texts
  const failures = newest.attempt - 1
  const hidden = Math.max(0, newest.attempt - dotsMax)
  return (
    <span class="attempt-dots">
      <span class="visually-hidden">
        {value.attempts(newest.attempt)}, {state === "received" ? value.lastReceived : value.allFailed}
      </span>
      <span aria-hidden="true">
        {hidden > 0 && <small>+{hidden}</small>}
        {Array.from({ length: failures - hidden }, (_, index) => (
          <i key={index} class="bad" />
        ))}
        {state === "failed" ? <Icon name="close" /> : <i class={state === "received" ? "good" : "bad"} />}
        {state === "trying" && <i class="next" />}
      </span>
    </span>
  )
}

/** A text of somebody's address or path: it breaks after a slash, and within a word only where one alone is too long. */
export const Address = ({ children }: { readonly children: string }) => (
  <bdi class="address">
    {children.split(/(?<=\/)/).flatMap((part, index) => (index === 0 ? [part] : [<wbr key={part} />, part]))}
  </bdi>
)
