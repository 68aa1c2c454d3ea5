import type { Queue } from "../../../../schema/api/queue.ts"
import type { ClosingDetail } from "../../../../schema/resources/closing.ts"
import { call } from "../../api/http.ts"
import { type Resource, useResource } from "../../api/resource.ts"
import { Link } from "../../app/router.tsx"
import { formatCount, formatDate } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { Skeleton } from "../../ui/skeleton.tsx"
import { Money } from "../../ui/values.tsx"

const texts = textsOf({
  "pt-BR": {
    money: "Dinheiro",
    toPay: "A pagar",
    withdrawals: (count: number) => (count === 1 ? "1 saque espera" : `${formatCount(count)} saques esperam`),
    receivedToday: "Recebido hoje",
    soFar: "até agora, em produção",
    received: "Recebido",
    on: (day: string) => `em ${day}`,
    balance: "Saldo no banco",
    untold: "o banco não informa",
    difference: "Diferença com o banco",
    closing: (day: string) => `fechamento de ${day}`,
    noClosing: "nenhum dia fechado",
  },
  en: {
    money: "Money",
    toPay: "To pay",
    withdrawals: (count: number) =>
      count === 1 ? "1 withdrawal waits" : `${formatCount(count)} withdrawals wait`,
    receivedToday: "Received today",
    soFar: "so far, in live",
    received: "Received",
    on: (day: string) => `on ${day}`,
    balance: "Balance at the bank",
    untold: "the bank does not tell",
    difference: "Difference to the bank",
    closing: (day: string) => `closing of ${day}`,
    noClosing: "no closed day",
  },
})

/** The newest closed day of live; null before the first. */
const readClosing = async (signal: AbortSignal): Promise<ClosingDetail | null> => {
  const query = { mode: "live", limit: 1 } as const
  const [newest] = (await call("GET /v1/admin/closings", { query, signal })).data
  if (newest === undefined) return null
  return call("GET /v1/admin/closings/:day", { params: { day: newest.day }, query, signal })
}

/** The latest closed day of live money, for {@link MoneyStrip}. */
export const useLatestClosing = (): Resource<ClosingDetail | null> =>
  useResource("latest closing", readClosing)

/** What came in on a closed day, as the bank says, or else our ledgers. */
const receivedOn = ({ partner, platform }: ClosingDetail): number => {
  if (partner !== null) return partner.received
  return -(platform.movements.charge_paid?.external ?? 0)
}

interface FigureProps {
  readonly name: string
  readonly amount: number | null | undefined
  readonly note: string
  readonly to?: string
  readonly isBad?: boolean
  readonly testId?: string
}

const Figure = ({ name, amount, note, to, isBad = false, testId }: FigureProps) => (
  <div class="strip-figure">
    <dt>{name}</dt>
    <dd class={isBad ? "strip-amount bad-text" : "strip-amount"} data-testid={testId}>
      {amount == null ? <span class="muted">—</span> : <Money amount={amount} />}
    </dd>
    <dd class="muted">{to === undefined ? note : <Link to={to}>{note}</Link>}</dd>
  </div>
)

interface MoneyStripProps {
  readonly queue: Queue | undefined
  readonly closing: Resource<ClosingDetail | null>
}

/** What is to be paid now, what came in today, and what the latest closed day says of the money at the bank. */
export const MoneyStrip = ({ queue, closing }: MoneyStripProps) => {
  const { value } = texts
  const day = closing.value.value
  if (queue === undefined || (day === undefined && closing.error.value === undefined)) {
    return (
      <div class="strip" aria-hidden="true">
        <Skeleton lines={3} />
      </div>
    )
  }
  const dayName = day == null ? undefined : formatDate(`${day.day}T15:00:00Z`)
  const onDay = dayName === undefined ? value.noClosing : value.on(dayName)
  const { counts, to_pay } = queue
  const difference = day?.difference
  return (
    <dl class="strip" aria-label={value.money}>
      <Figure
        name={value.toPay}
        amount={to_pay}
        note={value.withdrawals(counts.withdrawals + counts.payouts)}
        testId="to-pay"
      />
      <Figure
        name={value.receivedToday}
        amount={queue.received_today}
        note={value.soFar}
        testId="received-today"
      />
      <Figure name={value.received} amount={day == null ? null : receivedOn(day)} note={onDay} />
      <Figure
        name={value.balance}
        amount={day?.partner?.balance}
        note={day?.partner != null && day.partner.balance === null ? value.untold : onDay}
      />
      <Figure
        name={value.difference}
        amount={difference}
        isBad={difference !== undefined && difference !== 0}
        note={dayName === undefined ? value.noClosing : value.closing(dayName)}
        {...(day == null ? {} : { to: `/admin/closings?day=${day.day}` })}
      />
    </dl>
  )
}
