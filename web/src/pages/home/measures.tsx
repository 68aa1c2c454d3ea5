import type { ComponentChildren } from "preact"
import type { Counters } from "../../../../schema/resources/account.ts"
import { type Resource, useRead } from "../../api/resource.ts"
import { formatCount, formatPercent } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { isReady, Shown } from "../../ui/page.tsx"
import { sumOf } from "../../ui/series.ts"
import { Skeleton } from "../../ui/skeleton.tsx"
import { Money } from "../../ui/values.tsx"
import { Change } from "./change.tsx"
import { conversionOf } from "./figures.ts"
import type { Measure } from "./periods.ts"
import type { Received, Returned } from "./received.tsx"

const texts = textsOf({
  "pt-BR": {
    title: "Indicadores",
    ticket: "Ticket médio",
    conversion: "Conversão",
    ended: (paid: string, ended: string, isOne: boolean) =>
      `${paid} de ${ended} ${isOne ? "encerrada" : "encerradas"}`,
    noneEnded: "Nenhuma encerrada",
    refunded: "Devolvido",
    disputed: "Contestado",
    none: "—",
  },
  en: {
    title: "Measures",
    ticket: "Average charge",
    conversion: "Conversion",
    ended: (paid: string, ended: string, _isOne: boolean) => `${paid} of ${ended} that ended`,
    noneEnded: "None has ended",
    refunded: "Refunded",
    disputed: "Charged back",
    none: "—",
  },
})

const pendingChange: Readonly<Record<string, number>> = {
  "transaction.created": 1,
  "transaction.paid": -1,
  "transaction.expired": -1,
  "transaction.failed": -1,
}

/** What the service counts, live. */
export const useCounters = (): Resource<Counters> =>
  useRead(
    "GET /v1/me/counters",
    {},
    {
      reloadsOn: ({ type }) => type in pendingChange || type.startsWith("withdrawal."),
      applies: (shown, { type }) => {
        const change = pendingChange[type]
        if (change === undefined) return undefined
        const { transactions } = shown
        const pending = Math.max(0, transactions.pending + change)
        return { ...shown, transactions: { ...transactions, pending } }
      },
    },
  )

interface FigureProps {
  readonly title: string
  readonly children: ComponentChildren
  readonly note?: ComponentChildren
}

const Figure = ({ title, children, note }: FigureProps) => (
  <section class="card figure" aria-label={title}>
    <h2>{title}</h2>
    <p class="figure-small">{children}</p>
    <p class="muted">{note}</p>
  </section>
)

const averageOf = (amount: number, count: number): number => (count === 0 ? 0 : Math.round(amount / count))
const totalOf = ({ points }: Measure): number => sumOf(points)

const Ticket = ({ of: { amount, paid } }: { readonly of: Received }) => {
  const now = averageOf(totalOf(amount), totalOf(paid))
  return (
    <Figure
      title={texts.value.ticket}
      note={<Change now={now} before={averageOf(amount.before, paid.before)} isGoodUp />}
    >
      {totalOf(paid) === 0 ? texts.value.none : <Money amount={now} />}
    </Figure>
  )
}

const Conversion = ({ of, pendingNow }: { readonly of: Received; readonly pendingNow: number }) => {
  const { value } = texts
  // Those that are pending now count as open in a period that has not ended.
  const pending = of.range.isOpen ? pendingNow : 0
  const [created, paid] = [totalOf(of.created), totalOf(of.paid)]
  const ended = Math.max(paid, created - pending)
  const share = conversionOf(created, paid, pending)
  const before = conversionOf(of.created.before, of.paid.before, 0) ?? 0
  return (
    <Figure
      title={value.conversion}
      note={
        share === undefined ? (
          value.noneEnded
        ) : (
          <>
            {value.ended(formatCount(paid), formatCount(ended), ended === 1)}
            <Change now={share} before={before} isGoodUp isAfterWords />
          </>
        )
      }
    >
      {share === undefined ? value.none : formatPercent(share)}
    </Figure>
  )
}

/** What went back to payers. */
const ReturnedFigure = ({ title, of: measure }: { readonly title: string; readonly of: Measure }) => (
  <Figure title={title} note={<Change now={totalOf(measure)} before={measure.before} />}>
    <Money amount={totalOf(measure)} />
  </Figure>
)

const FigureSkeleton = () => (
  <div class="card figure">
    <Skeleton lines={3} />
  </div>
)

interface MeasuresProps {
  readonly received: Resource<Received>
  readonly counters: Resource<Counters>
  readonly returned: Resource<Returned>
}

/** What a period's charges come to: each, in paid ones, and in what went back. */
export const Measures = ({ received, counters, returned }: MeasuresProps) => {
  const { value } = texts
  const pending = counters.value.value?.transactions.pending ?? 0
  return (
    <section class="home-figures" aria-label={value.title}>
      <Shown of={received} skeleton={<FigureSkeleton />} keepsHeight>
        {(shown) => <Ticket of={shown} />}
      </Shown>
      <Shown of={received} skeleton={<FigureSkeleton />} keepsHeight>
        {(shown) => (isReady(counters) ? <Conversion of={shown} pendingNow={pending} /> : <FigureSkeleton />)}
      </Shown>
      <Shown of={returned} skeleton={<FigureSkeleton />} keepsHeight>
        {({ refunded }) => <ReturnedFigure title={value.refunded} of={refunded} />}
      </Shown>
      <Shown of={returned} skeleton={<FigureSkeleton />} keepsHeight>
        {({ disputed }) => <ReturnedFigure title={value.disputed} of={disputed} />}
      </Shown>
    </section>
  )
}
