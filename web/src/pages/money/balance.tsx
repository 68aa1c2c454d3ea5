import "../../styles/money.css"
import type { Balance, LedgerEntry } from "../../../../schema/resources/ledger.ts"
import { api } from "../../api/http.ts"
import { type List, useList, useResource } from "../../api/resource.ts"
import { Link, query, setQuery } from "../../app/router.tsx"
import { dayOf } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { Empty } from "../../ui/feedback.tsx"
import { Field } from "../../ui/form.tsx"
import { Card, isReady, More, Page, Shown, Table } from "../../ui/page.tsx"
import { Code, Moment, Money } from "../../ui/values.tsx"
import { movesMoney, pageOfResource } from "./movements.ts"
import { type Period, periodDaysMax, periodOf, problemOf } from "./period.ts"
import { Postings } from "./postings.tsx"
import { StatementDownloads } from "./statement.tsx"
import { bucketText, kindText } from "./words.ts"

const texts = textsOf({
  "pt-BR": {
    title: "Saldo",
    withdraw: "Sacar",
    available: "O que você pode sacar agora.",
    reserve: "Parte de cobranças pagas, retida por alguns dias. Fica disponível sozinha.",
    pending_withdraw: "Separado para o saque em andamento, com a tarifa. Volta se o saque não sair.",
    pending_refund: "Separado para devoluções que ainda não terminaram.",
    negative: "Negativo: devoluções ou contestações levaram mais do que havia. As próximas vendas cobrem.",
    entries: "Extrato",
    from: "De",
    to: "Até",
    when: "Quando",
    what: "O que houve",
    resource: "Origem",
    postings: "Movimento",
    after: "Disponível depois",
    none: "Nenhum movimento neste período",
    noneHint: "Cada cobrança paga, saque e devolução aparece aqui.",
    create: "Criar uma cobrança",
    noDay: "Informe dois dias que existam.",
    reversed: "O início precisa vir antes do fim.",
    tooLong: `Um extrato tem no máximo ${periodDaysMax} dias.`,
  },
  en: {
    title: "Balance",
    withdraw: "Withdraw",
    available: "What you can withdraw now.",
    reserve: "Part of paid charges, held for some days. It becomes available by itself.",
    pending_withdraw: "Set aside for the withdrawal in progress, with its fee. It comes back if that fails.",
    pending_refund: "Set aside for refunds that have not ended.",
    negative: "Negative: refunds or chargebacks took more than there was. Coming sales make up for it.",
    entries: "Statement",
    from: "From",
    to: "To",
    when: "When",
    what: "What happened",
    resource: "Source",
    postings: "Movement",
    after: "Available after",
    none: "No movements in this period",
    noneHint: "Each paid charge, withdrawal and refund appears here.",
    create: "Create a charge",
    noDay: "Give two days that exist.",
    reversed: "The first day must come before the last.",
    tooLong: `A statement has ${periodDaysMax} days at most.`,
  },
})

const shownBuckets = ["available", "reserve", "pending_withdraw", "pending_refund"] as const

const Buckets = ({ of }: { readonly of: Balance }) => (
  <dl class="cards">
    {shownBuckets.map((bucket) => (
      <div class="card bucket" key={bucket} data-bucket={bucket}>
        <dt>{bucketText(bucket)}</dt>
        <dd>
          <Money amount={of[bucket]} testId={bucket === "available" ? "balance-available" : undefined} />
          <small class="muted">
            {bucket === "available" && of.available < 0 ? texts.value.negative : texts.value[bucket]}
          </small>
        </dd>
      </div>
    ))}
  </dl>
)

const Resource = ({ of }: { readonly of: LedgerEntry }) => {
  const to = pageOfResource(of.resource_type, of.resource_id)
  const id = <Code>{of.resource_id}</Code>
  return to === undefined ? id : <Link to={to}>{id}</Link>
}

const Entries = ({ of }: { readonly of: List<LedgerEntry> }) => {
  const { value } = texts
  return (
    <Shown of={of}>
      {({ data }) =>
        data.length === 0 ? (
          <Empty title={value.none}>
            {value.noneHint} <Link to="/charges">{value.create}</Link>
          </Empty>
        ) : (
          <>
            <Table
              label={value.entries}
              columns={[value.when, value.what, value.resource, value.postings, value.after]}
            >
              {data.map((entry) => (
                <tr key={entry.id} data-testid="ledger-row" data-id={entry.id}>
                  <td data-label={value.when}>
                    <Moment at={entry.created_at} />
                  </td>
                  <td data-label={value.what}>{kindText(entry.kind)}</td>
                  <td data-label={value.resource}>
                    <Resource of={entry} />
                  </td>
                  <td data-label={value.postings}>
                    <Postings of={entry.postings} />
                  </td>
                  <td data-label={value.after}>
                    <Money amount={entry.balance.available} />
                  </td>
                </tr>
              ))}
            </Table>
            <More of={of} />
          </>
        )
      }
    </Shown>
  )
}

const PeriodFields = ({ period }: { readonly period: Period }) => (
  <div class="filters">
    {(["from", "to"] as const).map((name) => (
      <Field
        key={name}
        label={texts.value[name]}
        type="date"
        required
        value={period[name]}
        data-testid={`statement-${name}`}
        onChange={(event) => setQuery({ [name]: event.currentTarget.value })}
      />
    ))}
  </div>
)

const Statement = ({ period }: { readonly period: Period }) => {
  const problem = problemOf(period)
  return (
    <Card title={texts.value.entries}>
      <div class="statement-head">
        <PeriodFields period={period} />
        {problem === undefined && <StatementDownloads period={period} />}
      </div>
      {problem === undefined ? (
        <PeriodEntries period={period} />
      ) : (
        <p class="form-error" role="alert" data-testid="form-error">
          {texts.value[problem]}
        </p>
      )}
    </Card>
  )
}

const PeriodEntries = ({ period }: { readonly period: Period }) => (
  <Entries of={useList<LedgerEntry>("/v1/me/ledger", { ...period }, { reloadsOn: movesMoney })} />
)

/** What a seller has, where it is, and each movement that led there. */
export default () => {
  const balance = useResource("balance", (signal) => api.get<Balance>("/v1/me/balance", {}, { signal }), {
    reloadsOn: movesMoney,
  })
  return (
    <Page
      title={texts.value.title}
      ready={isReady(balance)}
      actions={
        <Link to="/withdrawals" class="button primary">
          {texts.value.withdraw}
        </Link>
      }
    >
      <Shown of={balance}>{(value) => <Buckets of={value} />}</Shown>
      <Statement period={periodOf(query.value, dayOf(new Date()))} />
    </Page>
  )
}
