import { useState } from "preact/hooks"
import { formLimits } from "../../../../schema/formLimits.ts"
import type { Delivery, DeliveryDetail } from "../../../../schema/resources/delivery.ts"
import type { Endpoint } from "../../../../schema/resources/endpoint.ts"
import { useEvery } from "../../api/every.ts"
import { useList } from "../../api/resource.ts"
import { Link } from "../../app/router.tsx"
import { textsOf } from "../../text/i18n.ts"
import { Card, Facts, FirstRead, isReady } from "../../ui/page.tsx"
import { Tabs } from "../../ui/tabs.tsx"
import { Code, Copy, Moment } from "../../ui/values.tsx"
import { jsonText } from "../events/rules.ts"
import { isSameDelivery, outcomeText, shortOutcomeText } from "./attempts.ts"
import { Address, AttemptStatus } from "./deliveryParts.tsx"
import { destinationOf, useEndpoints } from "./destinations.ts"
import { Retry } from "./retry.tsx"

const texts = textsOf({
  "pt-BR": {
    parts: "Pedido e resposta",
    sent: "Pedido",
    status: "Situação",
    outcome: "Resultado",
    event: "Evento",
    to: "Destino",
    when: "Enviada em",
    id: "Id",
    test: "Evento de teste: nada aconteceu de verdade.",
    attempts: "Tentativas desta entrega",
    target: { endpoint: "Endpoint", postback: "Postback", tracker: "Rastreador" },
    again: "Enviar de novo do seu terminal",
    againHint:
      "Os mesmos bytes, cabeçalhos e assinaturas. Quem confere o horário recusa depois de 5 minutos.",
    noCurl: "Nada foi enviado por HTTP, ou o evento não está mais guardado.",
    answer: "Resposta",
    noAnswer: "Não houve resposta.",
    emptyAnswer: "Resposta sem corpo.",
    headers: "Cabeçalhos enviados",
    payload: "Conteúdo enviado",
    expired: "O evento não está mais guardado.",
    signed: "Texto assinado",
    signedHint: "É isto que X-Signature assina com o segredo: t, um ponto e o corpo, byte a byte.",
  },
  en: {
    parts: "Request and answer",
    sent: "Request",
    status: "Status",
    outcome: "Outcome",
    event: "Event",
    to: "Destination",
    when: "Sent",
    id: "Id",
    test: "Test event: nothing really happened.",
    attempts: "Attempts of this delivery",
    target: { endpoint: "Endpoint", postback: "Postback", tracker: "Tracker" },
    again: "Send it again from your terminal",
    againHint: "The same bytes, headers and signatures. Who checks the time refuses it after 5 minutes.",
    noCurl: "Nothing was sent by HTTP, or the event is no longer kept.",
    answer: "Answer",
    noAnswer: "There was no answer.",
    emptyAnswer: "An answer without a body.",
    headers: "Headers sent",
    payload: "Content sent",
    expired: "The event is no longer kept.",
    signed: "Signed text",
    signedHint: "This is what X-Signature signs with the secret: t, a dot and the body, byte by byte.",
  },
})

/** A text as it is, which scrolls inside its own box. */
const Block = ({ children, testId }: { readonly children: string; readonly testId?: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard.
  <pre class="text-block" dir="ltr" tabIndex={0} data-testid={testId}>
    {children}
  </pre>
)

interface OverviewProps {
  readonly of: DeliveryDetail
  /** The newest attempt of its delivery. */
  readonly newest: Delivery
  readonly endpoints: ReadonlyArray<Endpoint> | undefined
}

const Overview = ({ of, newest, endpoints }: OverviewProps) => {
  const { value } = texts
  return (
    <>
      {of.test_event && <p class="webhook-warning">{value.test}</p>}
      <Facts
        of={[
          [value.status, <AttemptStatus of={of} newest={newest} />],
          [value.outcome, shortOutcomeText(of)],
          [value.when, <Moment at={of.created_at} />],
          [
            value.to,
            <>
              {value.target[of.target]}: <Address>{destinationOf(of, endpoints)}</Address>
            </>,
          ],
          [
            value.event,
            <Link to={`/events?id=${of.event_id}`}>
              <Code>{of.event_id}</Code>
            </Link>,
          ],
          [value.id, <Code>{of.id}</Code>],
        ]}
      />
    </>
  )
}

const Answer = ({ of }: { readonly of: DeliveryDetail }) => {
  const { value } = texts
  return (
    <>
      {of.status_code === null && of.response_body_excerpt === null ? (
        <p class="muted">{value.noAnswer}</p>
      ) : (
        <div class="form">
          <p>{outcomeText(of)}</p>
          {of.response_body_excerpt === null || of.response_body_excerpt === "" ? (
            <p class="muted">{value.emptyAnswer}</p>
          ) : (
            <Block testId="delivery-answer">{of.response_body_excerpt}</Block>
          )}
        </div>
      )}
    </>
  )
}

const Curl = ({ of }: { readonly of: DeliveryDetail }) => (
  <Card title={texts.value.again} actions={of.curl !== null && <Copy text={of.curl} />}>
    {of.curl === null ? (
      <p class="muted">{texts.value.noCurl}</p>
    ) : (
      <div class="form">
        <p class="muted">{texts.value.againHint}</p>
        <Block testId="delivery-curl">{of.curl}</Block>
      </div>
    )}
  </Card>
)

const Headers = ({ of }: { readonly of: DeliveryDetail["request_headers"] }) => (
  <dl class="header-lines" dir="ltr">
    {Object.entries(of).map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)

const Sent = ({ of }: { readonly of: DeliveryDetail }) => {
  const { value } = texts
  const payload = jsonText(of.payload)
  return (
    <>
      <Card title={value.headers}>
        <Headers of={of.request_headers} />
      </Card>
      <Card title={value.payload} actions={<Copy text={payload} />}>
        {Object.keys(of.payload).length === 0 ? (
          <p class="muted">{value.expired}</p>
        ) : (
          <Block testId="delivery-payload">{payload}</Block>
        )}
      </Card>
      {of.signed_content !== null && (
        <Card title={value.signed} actions={<Copy text={of.signed_content} />}>
          <div class="form">
            <p class="muted">{value.signedHint}</p>
            <Block testId="delivery-signed-content">{of.signed_content}</Block>
          </div>
        </Card>
      )}
    </>
  )
}

interface AttemptsProps {
  readonly of: DeliveryDetail
  readonly attempts: ReadonlyArray<Delivery>
  readonly onAttempt: (id: string) => void
}

/** The attempts of the delivery, oldest first, of which one is shown. */
const Attempts = ({ of, attempts, onAttempt }: AttemptsProps) => (
  <ol class="attempt-list" aria-label={texts.value.attempts}>
    {attempts.toReversed().map((attempt) => (
      <li key={attempt.id} data-testid="attempt" data-status={attempt.status}>
        <button
          type="button"
          class="attempt"
          aria-pressed={attempt.id === of.id}
          onClick={() => onAttempt(attempt.id)}
        >
          <i class={attempt.status === "success" ? "good" : "bad"} aria-hidden="true" />
          {attempt.attempt} · {shortOutcomeText(attempt)}
        </button>
      </li>
    ))}
  </ol>
)

const parts = ["answer", "sent", "again"] as const

interface ViewProps {
  readonly of: DeliveryDetail
  /** Called to show another attempt. */
  readonly onAttempt: (id: string) => void
  /** Called once it was sent again, with the new attempt if it has been made. */
  readonly onRetried: (id: string | undefined) => void
}

const refreshMillis = 3_000

/** One attempt: how it ended, what was sent, what came back, and how to send it again. */
export const DeliveryView = ({ of, onAttempt, onRetried }: ViewProps) => {
  const [part, setPart] = useState<(typeof parts)[number]>("answer")
  const list = useList("GET /v1/me/webhook-deliveries", {
    query: { event_id: of.event_id, limit: formLimits.pageSizeMax },
  })
  const endpoints = useEndpoints()
  useEvery(refreshMillis, list.refresh)
  const attempts = (list.value.value?.data ?? []).filter((attempt) => isSameDelivery(attempt, of))
  const { value } = texts
  if (!isReady(list, endpoints)) return <FirstRead />
  return (
    <div class="delivery-view">
      <Overview of={of} newest={attempts[0] ?? of} endpoints={endpoints.value.value?.data} />
      {attempts.length > 1 && <Attempts of={of} attempts={attempts} onAttempt={onAttempt} />}
      <Retry
        of={of}
        attempts={attempts}
        endpoints={endpoints}
        onRetried={(id) => {
          void list.reload()
          onRetried(id)
        }}
      />
      <Tabs
        label={value.parts}
        tabs={[
          ["answer", value.answer],
          ["sent", value.sent],
          ["again", "curl"],
        ]}
        chosen={part}
        onChoose={setPart}
      >
        {part === "answer" ? <Answer of={of} /> : part === "sent" ? <Sent of={of} /> : <Curl of={of} />}
      </Tabs>
    </div>
  )
}
