import "../../styles/money.css"
import { useState } from "preact/hooks"
import type { CorrenteError } from "../../../../client/src/errors.ts"
import type { Withdrawal } from "../../../../schema/resources/withdrawal.ts"
import { call } from "../../api/http.ts"
import { failureOf, type Resource, useList, useRead } from "../../api/resource.ts"
import { mode } from "../../api/session.ts"
import type { PageParams } from "../../app/router.tsx"
import { failureReasonText } from "../../text/bankReasons.ts"
import { formatMoney } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { pixKeyTypeText } from "../../text/pixKeyTypes.ts"
import { statusText } from "../../text/statuses.ts"
import { Button } from "../../ui/button.tsx"
import { FormError } from "../../ui/feedback.tsx"
import { notify } from "../../ui/notice.tsx"
import { Card, Facts, isReady, Page, Shown } from "../../ui/page.tsx"
import { ReceiptButton } from "../../ui/receiptButton.tsx"
import { Cell, Table, TableRow } from "../../ui/table.tsx"
import { Code, Foreign, Moment, Money, Status, When } from "../../ui/values.tsx"
import { WithdrawalFee } from "./fee.tsx"
import { Postings } from "./postings.tsx"
import { actsOf, isAbout, isFeeCharged, stepsOf } from "./rules.ts"
import { kindText } from "./words.ts"

const texts = textsOf({
  "pt-BR": {
    title: "Saque",
    of: "Saque de",
    back: "Saques",
    summary: "Resumo",
    requested: "solicitado",
    fee: "Tarifa",
    total: "Total debitado",
    key: "Chave Pix",
    description: "Descrição",
    reason: "Motivo",
    endToEnd: "Id do Pix",
    returned: "Devolvido pelo banco",
    id: "Id",
    trace: "Id de rastreio",
    timeline: "Linha do tempo",
    awaiting: "Solicitado",
    back_: "Devolvido pelo banco",
    toCome: "em breve",
    cancel: "Cancelar saque",
    cancelled: "Saque cancelado: o valor voltou ao saldo.",
    test: "Simular",
    testHint: "Só no modo de teste: decida agora o que a operação e o banco fariam.",
    approve: "Aprovar",
    reject: "Rejeitar",
    succeed: "Banco paga",
    fail: "Banco recusa",
    postings: "Movimentos no saldo",
    when: "Quando",
    what: "O que houve",
    movement: "Movimento",
    after: "Disponível depois",
    noEntries: "Os movimentos deste saque não estão mais guardados.",
  },
  en: {
    title: "Withdrawal",
    of: "Withdrawal of",
    back: "Withdrawals",
    summary: "Summary",
    requested: "requested",
    fee: "Fee",
    total: "Total debited",
    key: "Pix key",
    description: "Description",
    reason: "Reason",
    endToEnd: "Pix id",
    returned: "Given back by the bank",
    id: "Id",
    trace: "Trace id",
    timeline: "Timeline",
    awaiting: "Requested",
    back_: "Given back by the bank",
    toCome: "to come",
    cancel: "Cancel withdrawal",
    cancelled: "Withdrawal cancelled: its money is back in the balance.",
    test: "Simulate",
    testHint: "In test mode only: decide now what operators and the bank would do.",
    approve: "Approve",
    reject: "Reject",
    succeed: "Bank pays",
    fail: "Bank rejects",
    postings: "Balance movements",
    when: "When",
    what: "What happened",
    movement: "Movement",
    after: "Available after",
    noEntries: "The movements of this withdrawal are no longer kept.",
  },
})

const stepText = (name: string) =>
  name === "awaiting" ? texts.value.awaiting : name === "returned" ? texts.value.back_ : statusText(name)

const Timeline = ({ of }: { readonly of: Withdrawal }) => (
  <ol class="withdrawal-steps">
    {stepsOf(of).map(({ name, at }) => (
      <li key={name} class={at === null ? "to-come" : ""}>
        <span class={at === null ? "muted" : ""}>{stepText(name)}</span>
        {at === null ? <span class="muted">{texts.value.toCome}</span> : <Moment at={at} />}
      </li>
    ))}
  </ol>
)

const Entries = ({ of }: { readonly of: Withdrawal }) => {
  const { value } = texts
  const entries = useList(
    "GET /v1/me/ledger",
    { query: { resource_id: of.id } },
    { reloadsOn: isAbout(of.id) },
  )
  return (
    <Shown of={entries}>
      {({ data }) =>
        data.length === 0 ? (
          <p class="muted">{value.noEntries}</p>
        ) : (
          <Table
            label={value.postings}
            columns={[value.what, value.when, value.movement, { right: value.after }]}
          >
            {data.map((entry) => (
              <TableRow key={entry.id} data-testid="ledger-row" data-id={entry.id}>
                <Cell place="title" label={value.what}>
                  {kindText(entry.kind)}
                </Cell>
                <Cell place="when" label={value.when}>
                  <When at={entry.created_at} />
                </Cell>
                <Cell place="extra" label={value.movement}>
                  <Postings of={entry.postings} />
                </Cell>
                <Cell place="extra" label={value.after} isRight>
                  <Money amount={entry.balance.available} />
                </Cell>
              </TableRow>
            ))}
          </Table>
        )
      }
    </Shown>
  )
}

/** What can be done with a withdrawal: cancel it, and in test mode decide its fate. */
const Acts = ({ of, resource }: { readonly of: Withdrawal; readonly resource: Resource<Withdrawal> }) => {
  const [error, setError] = useState<CorrenteError>()
  const { value } = texts
  const act = async (request: Promise<Withdrawal>, done?: string) => {
    setError(undefined)
    try {
      resource.set(await request)
      if (done !== undefined) notify(done)
    } catch (cause) {
      setError(failureOf(cause))
      void resource.reload()
    }
  }
  const testActs = mode.value === "test" ? actsOf(of.status) : []
  if (testActs.length === 0 && of.status !== "awaiting") return <FormError error={error} />
  return (
    <>
      {of.status === "awaiting" && (
        <Button
          kind="danger"
          needs="payingOut"
          data-testid="withdrawal-cancel"
          onClick={() =>
            act(call("POST /v1/me/withdrawals/:id/cancel", { params: { id: of.id } }), value.cancelled)
          }
        >
          {value.cancel}
        </Button>
      )}
      {testActs.length > 0 && (
        <>
          <p class="muted">{value.testHint}</p>
          <fieldset class="money-acts" aria-label={value.test}>
            {testActs.map((name) => (
              <Button
                key={name}
                needs="integrating"
                data-testid="test-act"
                data-act={name}
                onClick={() =>
                  act(call(`POST /v1/me/test/withdrawals/:id/${name}`, { params: { id: of.id } }))
                }
              >
                {value[name]}
              </Button>
            ))}
          </fieldset>
        </>
      )}
      <FormError error={error} />
    </>
  )
}

const Overview = ({ of }: { readonly of: Withdrawal }) => {
  const { value } = texts
  const failure = failureReasonText(null, of.failure_reason)
  return (
    <Facts
      of={[
        [value.fee, <WithdrawalFee of={of} />],
        [value.total, isFeeCharged(of.status) && <Money amount={of.total} />],
        [
          value.key,
          <>
            {pixKeyTypeText(of.pix_key.type)} <Foreign>{of.pix_key.value}</Foreign>
          </>,
        ],
        [value.description, of.description && <Foreign>{of.description}</Foreign>],
        [value.reason, failure && <Foreign>{failure}</Foreign>],
        [value.returned, of.returned_amount === undefined ? null : <Money amount={of.returned_amount} />],
        [value.endToEnd, of.end_to_end_id && <Code>{of.end_to_end_id}</Code>],
        [value.id, <Code>{of.id}</Code>],
        [value.trace, of.trace_id && <Code>{of.trace_id}</Code>],
      ]}
    />
  )
}

const Heading = ({ of }: { readonly of: Withdrawal }) => (
  <span class="withdrawal-heading">
    <span class="visually-hidden">{texts.value.of} </span>
    <Money amount={of.amount} testId="withdrawal-amount" />{" "}
    <Status status={of.status} testId="withdrawal-status" />
  </span>
)

const Lead = ({ of }: { readonly of: Withdrawal }) => (
  <>
    {pixKeyTypeText(of.pix_key.type)} <Foreign>{of.pix_key.value}</Foreign> · {texts.value.requested}{" "}
    <When at={of.created_at} />
  </>
)

/** One withdrawal: where it stands, what it moved, and what can be done with it. */
export default ({ params }: PageParams) => {
  const id = params.id ?? ""
  const { value } = texts
  const withdrawal = useRead("GET /v1/me/withdrawals/:id", { params: { id } }, { reloadsOn: isAbout(id) })
  const shown = withdrawal.value.value
  return (
    <Page
      title={shown === undefined ? value.title : `${value.title} · ${formatMoney(shown.amount)}`}
      heading={shown && <Heading of={shown} />}
      lead={shown && <Lead of={shown} />}
      ready={isReady(withdrawal)}
      back={{ to: "/withdrawals", name: value.back }}
      actions={shown?.status === "successful" && <ReceiptButton kind="withdrawals" id={id} />}
    >
      <Shown of={withdrawal}>
        {(of) => (
          <>
            <div class="withdrawal-columns">
              <Card title={value.summary}>
                <Overview of={of} />
              </Card>
              <Card title={value.timeline}>
                <div class="withdrawal-progress">
                  <Timeline of={of} />
                  <Acts of={of} resource={withdrawal} />
                </div>
              </Card>
            </div>
            <Card title={value.postings}>
              <Entries of={of} />
            </Card>
          </>
        )}
      </Shown>
    </Page>
  )
}
