import "../../styles/webhooks.css"
import type { Delivery, DeliveryDetail } from "../../../../schema/resources/delivery.ts"
import { useEvery } from "../../api/every.ts"
import { api } from "../../api/http.ts"
import { type List, useList, useResource } from "../../api/resource.ts"
import { Link } from "../../app/router.tsx"
import type { PageParams } from "../../app/routes.ts"
import { eventName } from "../../text/eventNames.ts"
import { formatCount } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { Card, Facts, isReady, Page, Shown } from "../../ui/page.tsx"
import { Code, Copy, Foreign, Moment, Status } from "../../ui/values.tsx"
import { jsonText } from "../events/jsonText.ts"
import { isSameDelivery } from "./attempts.ts"
import { DeliveryTable, targetText } from "./deliveryTable.tsx"
import { outcomeText } from "./outcomes.ts"
import { Retry } from "./retry.tsx"

const texts = textsOf({
  "pt-BR": {
    title: "Entrega",
    endpoint: "Ver endpoint",
    back: "Todos os webhooks",
    status: "Situação",
    outcome: "Resultado",
    attempt: "Tentativa",
    event: "Evento",
    to: "Destino",
    when: "Enviada em",
    id: "Id",
    test: "Evento de teste: nada aconteceu de verdade.",
    attempts: "Tentativas desta entrega",
    again: "Enviar de novo do seu terminal",
    againHint:
      "Os mesmos bytes, cabeçalhos e assinaturas. Quem confere o horário recusa depois de 5 minutos.",
    noCurl: "Nada foi enviado, ou o evento não está mais guardado.",
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
    title: "Delivery",
    endpoint: "See endpoint",
    back: "All webhooks",
    status: "Status",
    outcome: "Outcome",
    attempt: "Attempt",
    event: "Event",
    to: "Destination",
    when: "Sent",
    id: "Id",
    test: "Test event: nothing really happened.",
    attempts: "Attempts of this delivery",
    again: "Send it again from your terminal",
    againHint: "The same bytes, headers and signatures. Who checks the time refuses it after 5 minutes.",
    noCurl: "Nothing was sent, or the event is no longer kept.",
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

const refreshMillis = 3_000

/** A text as it is, which scrolls inside its own box. */
const Block = ({ children, testId }: { readonly children: string; readonly testId?: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard.
  <pre class="text-block" dir="ltr" tabIndex={0} data-testid={testId}>
    {children}
  </pre>
)

const Overview = ({ of }: { readonly of: DeliveryDetail }) => {
  const { value } = texts
  return (
    <Card>
      {of.test_event && <p class="webhook-warning">{value.test}</p>}
      <Facts
        of={[
          [value.status, <Status status={of.status} testId="delivery-status" />],
          [value.outcome, outcomeText(of)],
          [value.attempt, formatCount(of.attempt)],
          [
            value.event,
            <>
              {eventName(of.event_type)}{" "}
              <Link to={`/events?id=${of.event_id}`}>
                <Code>{of.event_id}</Code>
              </Link>
            </>,
          ],
          [
            value.to,
            <>
              {targetText(of.target)}: <Foreign>{of.target_host}</Foreign>
            </>,
          ],
          [value.when, <Moment at={of.created_at} />],
          [value.id, <Code>{of.id}</Code>],
        ]}
      />
    </Card>
  )
}

const Answer = ({ of }: { readonly of: DeliveryDetail }) => {
  const { value } = texts
  return (
    <Card title={value.answer}>
      {of.status_code === null ? (
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
    </Card>
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

const Attempts = ({ of, list }: { readonly of: DeliveryDetail; readonly list: List<Delivery> }) => (
  <Card title={texts.value.attempts}>
    <Shown of={list}>
      {({ data }) => <DeliveryTable of={data.filter((attempt) => isSameDelivery(attempt, of))} />}
    </Shown>
  </Card>
)

const Parts = ({ of }: { readonly of: DeliveryDetail }) => {
  const list = useList<Delivery>("/v1/me/webhook-deliveries", { event_id: of.event_id, limit: 100 })
  useEvery(refreshMillis, list.refresh)
  const attempts = (list.value.value?.data ?? []).filter((attempt) => isSameDelivery(attempt, of))
  return (
    <>
      <Overview of={of} />
      <Retry of={of} attempts={attempts} onLater={list.reload} />
      <Attempts of={of} list={list} />
      <Answer of={of} />
      <Curl of={of} />
      <Sent of={of} />
    </>
  )
}

/** One attempt: what was sent, what came back, and how to send it again. */
export default ({ params }: PageParams) => {
  const id = params.id ?? ""
  const delivery = useResource(id, (signal) =>
    api.get<DeliveryDetail>(`/v1/me/webhook-deliveries/${encodeURIComponent(id)}`, {}, { signal }),
  )
  const endpoint = delivery.value.value?.endpoint_id ?? null
  return (
    <Page
      title={texts.value.title}
      ready={isReady(delivery)}
      actions={
        <Link to={endpoint === null ? "/webhooks" : `/webhooks/${endpoint}`} class="button">
          {endpoint === null ? texts.value.back : texts.value.endpoint}
        </Link>
      }
    >
      <Shown of={delivery}>{(of) => <Parts of={of} />}</Shown>
    </Page>
  )
}
