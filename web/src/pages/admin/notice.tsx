import type { InboxRecord, InboxRecordDetail } from "../../../../schema/resources/inbox.ts"
import { call } from "../../api/http.ts"
import { useRead } from "../../api/resource.ts"
import { Link } from "../../app/router.tsx"
import { textsOf } from "../../text/i18n.ts"
import { Button } from "../../ui/button.tsx"
import { Card, Facts, isReady, Page, Shown } from "../../ui/page.tsx"
import { Code, Copy, Foreign, Moment } from "../../ui/values.tsx"
import { type Act, useAct } from "./acts.tsx"
import { ChargeLink, Raw } from "./parts.tsx"
import { useRefreshing } from "./refreshing.ts"

const stateTexts = textsOf({
  "pt-BR": { processed: "Processada", waiting: "Por processar", badSignature: "Assinatura inválida" },
  en: { processed: "Processed", waiting: "Unprocessed", badSignature: "Bad signature" },
})

/** What became of a notice, in words. */
export const NoticeState = ({ of: { signature_valid, processed_at } }: { readonly of: InboxRecord }) => {
  const { value } = stateTexts
  if (!signature_valid) return <span class="status bad">{value.badSignature}</span>
  return processed_at === null ? (
    <span class="status waiting">{value.waiting}</span>
  ) : (
    <span class="status good">{value.processed}</span>
  )
}

const texts = textsOf({
  "pt-BR": {
    title: "Notificação do parceiro",
    back: "Todas as notificações",
    state: "Situação",
    received: "Recebida",
    processed: "Processada",
    reprocessed: "Reprocessada",
    attempts: "Tentativas",
    error: "Erro",
    acquirer: "Parceiro",
    type: "Tipo",
    transaction: "Cobrança",
    withdrawal: "Saque",
    endToEnd: "End-to-end",
    key: "Chave de repetição",
    id: "Id",
    body: "Corpo",
    noBody: "O corpo não está mais guardado.",
    headers: "Cabeçalhos",
    reprocess: "Reprocessar",
    reprocessText:
      "O serviço consulta o parceiro de novo sobre o que ela diz, e aplica a resposta. Sozinha, ela não muda nada.",
    done: "Reprocessamento pedido. O resultado aparece aqui em instantes.",
    bad: "A assinatura é inválida: esta notificação nunca é processada.",
  },
  en: {
    title: "Acquirer notice",
    back: "All notices",
    state: "State",
    received: "Received",
    processed: "Processed",
    reprocessed: "Reprocessed",
    attempts: "Attempts",
    error: "Error",
    acquirer: "Acquirer",
    type: "Kind",
    transaction: "Charge",
    withdrawal: "Withdrawal",
    endToEnd: "End-to-end id",
    key: "Deduplication key",
    id: "Id",
    body: "Body",
    noBody: "The body is no longer kept.",
    headers: "Headers",
    reprocess: "Reprocess",
    reprocessText:
      "The service asks the acquirer again about what it names, and applies the answer. By itself it changes nothing.",
    done: "Reprocessing requested. The result appears here in a moment.",
    bad: "The signature is bad: this notice is never processed.",
  },
})

const reprocessing = (id: string): Act => ({
  title: texts.value.reprocess,
  explanation: <p>{texts.value.reprocessText}</p>,
  submit: texts.value.reprocess,
  reason: "none",
  perform: () => call("POST /v1/admin/inbox/:id/reprocess", { params: { id } }),
  done: texts.value.done,
})

const optional = (text: string | null) => (text === null ? undefined : <Code>{text}</Code>)

const Whole = ({ of: notice }: { readonly of: InboxRecordDetail }) => {
  const { value } = texts
  return (
    <>
      {!notice.signature_valid && <p class="warning">{value.bad}</p>}
      <Card>
        <Facts
          of={[
            [value.state, <NoticeState key="state" of={notice} />],
            [value.received, <Moment key="received" at={notice.received_at} />],
            [value.processed, <Moment key="processed" at={notice.processed_at} />],
            [value.reprocessed, notice.reprocessed_at && <Moment at={notice.reprocessed_at} />],
            [value.attempts, String(notice.attempts)],
            [value.error, notice.error && <Foreign>{notice.error}</Foreign>],
            [value.acquirer, notice.acquirer.slug],
            [value.type, notice.event_type && <Foreign>{notice.event_type}</Foreign>],
            [value.transaction, notice.transaction_id && <ChargeLink id={notice.transaction_id} />],
            [value.withdrawal, optional(notice.withdrawal_id)],
            [value.endToEnd, optional(notice.end_to_end_id)],
            [value.key, <Code key="key">{notice.provider_event_id}</Code>],
            [value.id, <Code key="id">{notice.id}</Code>],
          ]}
        />
      </Card>
      <Card title={value.body} actions={notice.raw_body !== "" && <Copy text={notice.raw_body} />}>
        {notice.raw_body === "" ? <p class="muted">{value.noBody}</p> : <Raw of={notice.raw_body} />}
      </Card>
      <Card title={value.headers}>
        <Facts
          of={Object.entries(notice.headers).map(([name, text]) => [
            name,
            <Foreign key={name}>{text}</Foreign>,
          ])}
        />
      </Card>
    </>
  )
}

/** One notice, with what was received. */
export const NoticePage = ({ id }: { readonly id: string }) => {
  const notice = useRead("GET /v1/admin/inbox/:id", { params: { id } })
  useRefreshing(notice)
  const { ask, dialog } = useAct(notice.reload)
  return (
    <Page
      title={texts.value.title}
      ready={isReady(notice)}
      actions={
        <>
          <Link to="/admin/inbox">{texts.value.back}</Link>
          {notice.value.value?.signature_valid && (
            <Button data-testid="reprocess" onClick={() => ask(reprocessing(id))}>
              {texts.value.reprocess}
            </Button>
          )}
        </>
      }
    >
      <Shown of={notice}>{(found) => <Whole of={found} />}</Shown>
      {dialog}
    </Page>
  )
}
