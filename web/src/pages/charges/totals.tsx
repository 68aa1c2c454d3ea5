import type { ComponentChildren } from "preact"
import { useEffect } from "preact/hooks"
import { transactionStatuses } from "../../../../schema/names.ts"
import type { TransactionStatus } from "../../../../schema/resources/transaction.ts"
import type { TransactionSums, TransactionTotals } from "../../../../schema/resources/transactionTotals.ts"
import { onEvent } from "../../api/live.ts"
import { type Resource, useRead } from "../../api/resource.ts"
import { setQuery } from "../../app/router.tsx"
import { formatCount, formatMoney, formatWhen } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { today } from "../../text/today.ts"
import type { ChargeFilters } from "./listFilters.ts"
import { isChargeEvent } from "./rules.ts"
import "../../styles/chargeList.css"

const texts = textsOf({
  "pt-BR": {
    tabs: "Situação",
    all: "Todas",
    pending: "Pendentes",
    paid: "Pagas",
    expired: "Expiradas",
    failed: "Com falha",
    refunded: "Devolvidas",
    chargeback: "Contestadas",
    count: (count: string) => (count === "1" ? "1 cobrança" : `${count} cobranças`),
    gross: "bruto",
    net: "líquido",
    refundedSum: "devolvido e contestado",
    since: (since: string) => `somadas as mais recentes, desde ${since}`,
  },
  en: {
    tabs: "Status",
    all: "All",
    pending: "Pending",
    paid: "Paid",
    expired: "Expired",
    failed: "Failed",
    refunded: "Refunded",
    chargeback: "Charged back",
    count: (count: string) => (count === "1" ? "1 charge" : `${count} charges`),
    gross: "gross",
    net: "net",
    refundedSum: "refunded and disputed",
    since: (since: string) => `the newest ones, since ${since}`,
  },
})

/** Events change totals by more than they tell, so totals are read again, but not more often than this. */
const refreshMillis = 10_000

/** What the charges of a list add up to, whatever their status. */
export const useTotals = ({ status: _, ...filters }: ChargeFilters): Resource<TransactionTotals> => {
  const totals = useRead("GET /v1/me/transactions/summary", { query: filters })
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const leave = onEvent((event) => {
      if (!isChargeEvent(event)) return
      timer ??= setTimeout(() => {
        timer = undefined
        void totals.refresh()
      }, refreshMillis)
    })
    return () => {
      clearTimeout(timer)
      leave()
    }
  }, [totals])
  return totals
}

const tabs = ["all", "paid", ...transactionStatuses.filter((status) => status !== "paid")] as const

/** The list's statuses with their counts. */
export const StatusTabs = ({
  status,
  of,
  isOther,
  children,
}: {
  readonly status: TransactionStatus | undefined
  readonly of: Resource<TransactionTotals>
  /** Whether one of the further tabs is the one that is shown. */
  readonly isOther: boolean
  /** Further tabs. */
  readonly children?: ComponentChildren
}) => {
  const totals = of.value.value
  const countOf = (tab: (typeof tabs)[number]) => (tab === "all" ? totals : totals?.by_status[tab])?.count
  const chosen = status ?? "all"
  return (
    <fieldset class="status-tabs" aria-label={texts.value.tabs} data-testid="status-tabs">
      {tabs.map((tab) => (
        <button
          key={tab}
          type="button"
          class="status-tab"
          data-status={tab}
          aria-pressed={!isOther && chosen === tab}
          onClick={() => setQuery({ status: tab === "all" ? undefined : tab })}
        >
          {texts.value[tab]}
          <span class="status-count">
            {totals === undefined ? "" : formatCount(countOf(tab) ?? 0)}
            {totals?.complete === false && "+"}
          </span>
        </button>
      ))}
      {children}
    </fieldset>
  )
}

/** A phone has room for how many and what is left; wider screens also say where that comes from. */
const Sums = ({ of }: { readonly of: TransactionSums }) => {
  const { count, gross, net, refundedSum } = texts.value
  const counted = count(formatCount(of.count))
  if (of.count === 0) return <>{counted}</>
  if (of.gross === 0) return <>{`${counted} · ${formatMoney(of.amount)}`}</>
  return (
    <>
      {`${counted} · `}
      <span class="totals-parts">
        {`${formatMoney(of.gross)} ${gross} · `}
        {of.refunded > 0 && `${formatMoney(of.refunded)} ${refundedSum} · `}
      </span>
      {`${formatMoney(of.net)} ${net}`}
    </>
  )
}

/** How many charges the list has, and what they brought. */
export const TotalsLine = ({
  status,
  of,
}: {
  readonly status: TransactionStatus | undefined
  readonly of: Resource<TransactionTotals>
}) => {
  const totals = of.value.value
  const sums = status === undefined ? totals : totals?.by_status[status]
  return (
    <p class="totals" data-testid="totals" data-count={sums?.count}>
      {sums !== undefined && <Sums of={sums} />}
      {totals !== undefined &&
        totals.since !== null &&
        ` · ${texts.value.since(formatWhen(totals.since, today.value))}`}
    </p>
  )
}
