import "../../styles/money.css"
import { formLimits } from "../../../../schema/formLimits.ts"
import type { Balance } from "../../../../schema/resources/ledger.ts"
import { useList, useRead } from "../../api/resource.ts"
import { Link, query, queryChoice, setQuery } from "../../app/router.tsx"
import { textsOf } from "../../text/i18n.ts"
import { mayDo } from "../../text/roles.ts"
import { today } from "../../text/today.ts"
import { Empty } from "../../ui/feedback.tsx"
import { Field, Select } from "../../ui/form.tsx"
import { isReady, More, NoneYet, Page, Shown } from "../../ui/page.tsx"
import { Money } from "../../ui/values.tsx"
import { Releases } from "./releases.tsx"
import {
  daysOf,
  type KindGroup,
  kindGroupNames,
  kindsOf,
  movesMoney,
  type Period,
  periodOf,
  problemOf,
} from "./rules.ts"
import { StatementDownloads } from "./statement.tsx"
import { StatementDays } from "./statementDays.tsx"
import { StatementTotals } from "./statementTotals.tsx"

const texts = textsOf({
  "pt-BR": {
    title: "Saldo",
    withdraw: "Sacar",
    available: "Disponível",
    reserve: "A liberar",
    pending_withdraw: "Em saque",
    pending_refund: "Em devolução",
    hints: {
      reserve: "Parte de cobranças pagas, retida por alguns dias. Fica disponível sozinha.",
      pending_withdraw: "Separado para o saque em andamento, com a tarifa. Volta se o saque não sair.",
      pending_refund: "Separado para devoluções que ainda não terminaram.",
    },
    negative: "Negativo: devoluções ou contestações levaram mais do que havia. As próximas vendas cobrem.",
    entries: "Extrato",
    kind: "Tipo",
    all: "Tudo",
    sales: "Vendas",
    refunds: "Devoluções e contestações",
    withdrawals: "Saques",
    reserveReleases: "Liberações da reserva",
    from: "De",
    to: "Até",
    none: "Nenhum movimento neste período",
    noneHint: "Cada venda, saque e devolução aparece aqui.",
    create: "Criar uma cobrança",
    noDay: "Informe dois dias que existam.",
    reversed: "O início precisa vir antes do fim.",
    tooLong: `Um extrato tem no máximo ${formLimits.statementDaysMax} dias.`,
  },
  en: {
    title: "Balance",
    withdraw: "Withdraw",
    available: "Available",
    reserve: "To be released",
    pending_withdraw: "In withdrawal",
    pending_refund: "In refunds",
    hints: {
      reserve: "Part of paid charges, held for some days. It becomes available by itself.",
      pending_withdraw:
        "Set aside for the withdrawal in progress, with its fee. It comes back if that fails.",
      pending_refund: "Set aside for refunds that have not ended.",
    },
    negative: "Negative: refunds or chargebacks took more than there was. Coming sales make up for it.",
    entries: "Statement",
    kind: "Type",
    all: "All",
    sales: "Sales",
    refunds: "Refunds and chargebacks",
    withdrawals: "Withdrawals",
    reserveReleases: "Reserve releases",
    from: "From",
    to: "To",
    none: "No movements in this period",
    noneHint: "Each sale, withdrawal and refund appears here.",
    create: "Create a charge",
    noDay: "Give two days that exist.",
    reversed: "The first day must come before the last.",
    tooLong: `A statement has ${formLimits.statementDaysMax} days at most.`,
  },
})

const waiting = ["reserve", "pending_withdraw", "pending_refund"] as const

/** What can be withdrawn now, and below it what is on its way in or out. */
const Available = ({ of }: { readonly of: Balance }) => {
  const { value } = texts
  return (
    <>
      <div class="balance-main">
        <p class="balance-available">
          <span>{value.available}</span> <Money amount={of.available} testId="balance-available" />
        </p>
        <Link to={mayDo("payingOut") ? "/withdrawals?create=1" : "/withdrawals"} class="button primary">
          {value.withdraw}
        </Link>
      </div>
      {of.available < 0 && <p class="money-warning">{value.negative}</p>}
      <p class="balance-waiting">
        {waiting.map((bucket) => (
          <span key={bucket} data-bucket={bucket} title={value.hints[bucket]}>
            {value[bucket]} <Money amount={of[bucket]} />
          </span>
        ))}
      </p>
    </>
  )
}

const kindNames: Readonly<Record<KindGroup, "sales" | "refunds" | "withdrawals" | "reserveReleases">> = {
  sales: "sales",
  refunds: "refunds",
  withdrawals: "withdrawals",
  reserve: "reserveReleases",
}

const StatementFilters = ({ period, kind }: Asked) => (
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
    <Select
      label={texts.value.kind}
      value={kind ?? ""}
      data-testid="statement-kind"
      onChange={(event) => setQuery({ kind: event.currentTarget.value || undefined })}
    >
      <option value="">{texts.value.all}</option>
      {kindGroupNames.map((name) => (
        <option key={name} value={name}>
          {texts.value[kindNames[name]]}
        </option>
      ))}
    </Select>
  </div>
)

/** What of the statement is shown. */
interface Asked {
  readonly period: Period
  readonly kind: KindGroup | undefined
}

const pageSize = 50

const PeriodEntries = ({ period, kind }: Asked) => {
  const { value } = texts
  const asked = { ...period, kinds: kindsOf(kind), view: "statement", limit: pageSize } as const
  const list = useList("GET /v1/me/ledger", { query: asked }, { reloadsOn: movesMoney })
  return (
    <>
      <Shown of={list}>
        {({ data, next_cursor }) => {
          const isEnd = next_cursor === null
          if (data.length > 0) {
            return <StatementDays days={daysOf(data, !isEnd)} isAll={kind === undefined} />
          }
          return isEnd ? (
            <Empty title={value.none}>
              {value.noneHint} <Link to="/charges">{value.create}</Link>
            </Empty>
          ) : (
            <NoneYet />
          )
        }}
      </Shown>
      <More of={list} />
    </>
  )
}

const Statement = ({ period, kind }: Asked) => {
  const problem = problemOf(period)
  return (
    <section class="statement-card" aria-label={texts.value.entries}>
      <h2>{texts.value.entries}</h2>
      <div class="statement-head">
        <StatementFilters period={period} kind={kind} />
        {problem === undefined && <StatementDownloads period={period} />}
      </div>
      {problem === undefined ? (
        <>
          <StatementTotals period={period} kind={kind} />
          <PeriodEntries period={period} kind={kind} />
        </>
      ) : (
        <p class="form-error" role="alert" data-testid="form-error">
          {texts.value[problem]}
        </p>
      )}
    </section>
  )
}

/** What a seller has, where it is, and each movement that led there. */
export default () => {
  const balance = useRead("GET /v1/me/balance", {}, { reloadsOn: movesMoney })
  const releases = useRead("GET /v1/me/balance/releases", {}, { reloadsOn: movesMoney })
  return (
    <Page title={texts.value.title} ready={isReady(balance) && isReady(releases)}>
      <section class="card balance-card">
        <Shown of={balance}>{(value) => <Available of={value} />}</Shown>
      </section>
      <Shown of={releases}>{(value) => <Releases of={value} />}</Shown>
      <Statement period={periodOf(query.value, today.value)} kind={queryChoice("kind", kindGroupNames)} />
    </Page>
  )
}
