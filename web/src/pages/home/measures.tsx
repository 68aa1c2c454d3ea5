import type { ComponentChildren } from "preact"
import type { Counters } from "../../../../schema/resources/account.ts"
import type { Refund } from "../../../../schema/resources/refund.ts"
import { type Resource, useRead } from "../../api/resource.ts"
import type { Page } from "../../api/routes.ts"
import { formatCount, formatPercent } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { nowMillis, today } from "../../text/today.ts"
import { isReady, Shown } from "../../ui/page.tsx"
import { sumOf } from "../../ui/series.ts"
import { Skeleton } from "../../ui/skeleton.tsx"
import { Money } from "../../ui/values.tsx"
import { Change } from "./change.tsx"
import { conversionOf, isChargeback } from "./figures.ts"
import { type Measure, type Period, rangeOf, returnedIn } from "./periods.ts"
import type { Received } from "./received.tsx"

const texts = textsOf({
  "pt-BR": {
    title: "Indicadores",
    ticket: "Ticket médio",
    conversion: "Conversão",
    ended: (paid: string, ended: string) => `${paid} de ${ended} encerradas`,
    noneEnded: "Nenhuma encerrada",
    refunded: "Devolvido",
    disputed: "Contestado",
    moreThan: "mais de",
    none: "—",
  },
  en: {
    title: "Measures",
    ticket: "Average charge",
    conversion: "Conversion",
    ended: (paid: string, ended: string) => `${paid} of ${ended} that ended`,
    noneEnded: "None has ended",
    refunded: "Refunded",
    disputed: "Charged back",
    moreThan: "more than",
    none: "—",
  },
})

/** As many as one page of the API has. */
const pageSize = 100

/** The refunds of a period and of the one before. */
export const useRefunds = (period: Period): Resource<Page<Refund>> => {
  const { previousFrom } = rangeOf(period, today.value)
  return useRead(
    "GET /v1/me/refunds",
    { query: { from: previousFrom, limit: pageSize } },
    { reloadsOn: ({ type }) => type.startsWith("refund.") },
  )
}

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

const Conversion = ({ of, pending }: { readonly of: Received; readonly pending: number }) => {
  const { value } = texts
  const [created, paid] = [totalOf(of.created), totalOf(of.paid)]
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
            {value.ended(formatCount(paid), formatCount(Math.max(paid, created - pending)))}{" "}
            <Change now={share} before={before} isGoodUp />
          </>
        )
      }
    >
      {share === undefined ? value.none : formatPercent(share)}
    </Figure>
  )
}

interface ReturnedProps {
  readonly title: string
  readonly received: Resource<Received>
  readonly refunds: Resource<Page<Refund>>
  readonly isWanted: (refund: Refund) => boolean
}

/** What went back to payers; where there is more than one reading has, that it is more. */
const ReturnedFigure = ({ title, received, refunds, isWanted }: ReturnedProps) => (
  <Shown of={received} skeleton={<FigureSkeleton />} keepsHeight>
    {({ range }) => (
      <Shown of={refunds} skeleton={<FigureSkeleton />} keepsHeight>
        {({ data, next_cursor }) => {
          const { now, before } = returnedIn(data.filter(isWanted), range, nowMillis())
          const isPartial = next_cursor !== null
          return (
            <Figure title={title} note={!isPartial && <Change now={now} before={before} />}>
              {isPartial && `${texts.value.moreThan} `}
              <Money amount={now} />
            </Figure>
          )
        }}
      </Shown>
    )}
  </Shown>
)

const FigureSkeleton = () => (
  <div class="card figure">
    <Skeleton lines={3} />
  </div>
)

interface MeasuresProps {
  readonly received: Resource<Received>
  readonly counters: Resource<Counters>
  readonly refunds: Resource<Page<Refund>>
}

/** What a period's charges come to: each, in paid ones, and in what went back. */
export const Measures = ({ received, counters, refunds }: MeasuresProps) => {
  const { value } = texts
  const pending = counters.value.value?.transactions.pending ?? 0
  return (
    <section class="home-figures" aria-label={value.title}>
      <Shown of={received} skeleton={<FigureSkeleton />} keepsHeight>
        {(shown) => <Ticket of={shown} />}
      </Shown>
      <Shown of={received} skeleton={<FigureSkeleton />} keepsHeight>
        {(shown) => (isReady(counters) ? <Conversion of={shown} pending={pending} /> : <FigureSkeleton />)}
      </Shown>
      <ReturnedFigure
        title={value.refunded}
        received={received}
        refunds={refunds}
        isWanted={(refund) => refund.status !== "failed" && !isChargeback(refund)}
      />
      <ReturnedFigure title={value.disputed} received={received} refunds={refunds} isWanted={isChargeback} />
    </section>
  )
}
