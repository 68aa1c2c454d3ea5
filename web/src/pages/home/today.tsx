import type { ComponentChildren } from "preact"
import type { Balance } from "../../../../schema/resources/ledger.ts"
import { useEvery } from "../../api/every.ts"
import { api } from "../../api/http.ts"
import { type Resource, useResource } from "../../api/resource.ts"
import { Link } from "../../app/router.tsx"
import { dayOf, formatCount, formatPercent } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { Card, Shown } from "../../ui/page.tsx"
import { Plot, type Point } from "../../ui/plot.tsx"
import { Money } from "../../ui/values.tsx"
import { conversionOf, sumOf } from "./figures.ts"

const texts = textsOf({
  "pt-BR": {
    balance: "Saldo disponível",
    balanceMore: "Ver saldo",
    reserve: "em reserva",
    paid: "Recebido hoje",
    paidCount: (count: string) => (count === "1" ? "1 cobrança paga" : `${count} cobranças pagas`),
    conversion: "Conversão hoje",
    conversionOf: (paid: string, created: string) =>
      created === "1" ? `${paid} de 1 criada` : `${paid} de ${created} criadas`,
    noConversion: "Nenhuma cobrança criada hoje",
    byHour: "Hoje, por hora",
    created: "Criadas",
    paidSeries: "Pagas",
  },
  en: {
    balance: "Available balance",
    balanceMore: "See balance",
    reserve: "in reserve",
    paid: "Received today",
    paidCount: (count: string) => (count === "1" ? "1 charge paid" : `${count} charges paid`),
    conversion: "Conversion today",
    conversionOf: (paid: string, created: string) => `${paid} paid of ${created} created`,
    noConversion: "No charges created today",
    byHour: "Today, by hour",
    created: "Created",
    paidSeries: "Paid",
  },
})

/** Today's charges, hour by hour in São Paulo. */
export interface Today {
  readonly created: ReadonlyArray<Point>
  readonly paid: ReadonlyArray<Point>
  readonly paidAmount: ReadonlyArray<Point>
}

const moving = /^(?:transaction|refund|withdrawal|exception)\./

/** The seller's balance, live. */
export const useBalance = (): Resource<Balance> =>
  useResource("balance", (signal) => api.get<Balance>("/v1/me/balance", {}, { signal }), {
    reloadsOn: ({ type }) => moving.test(type),
  })

/** The day begins anew while the page is open. */
const everyMillis = 60_000

/** Today's charges, live. */
export const useToday = (): Resource<Today> => {
  const today = useResource<Today>(
    "today",
    async (signal) => {
      // Series count in true time, in test mode too: the test clock does not move them.
      const day = dayOf(new Date())
      const series = async (metric: string) => {
        const query = { metric, from: day, to: day, bucket: "hour" }
        const answer = await api.get<{ readonly data: ReadonlyArray<Point> }>("/v1/me/series", query, {
          signal,
        })
        return answer.data
      }
      const [created, paid, paidAmount] = await Promise.all([
        series("charges_created"),
        series("charges_paid"),
        series("paid_amount"),
      ])
      return { created, paid, paidAmount }
    },
    { reloadsOn: ({ type }) => type.startsWith("transaction.") },
  )
  useEvery(everyMillis, today.reload)
  return today
}

interface FigureProps {
  readonly title: string
  readonly children: ComponentChildren
  readonly note: ComponentChildren
}

const Figure = ({ title, children, note }: FigureProps) => (
  <section class="card figure">
    <h2>{title}</h2>
    <p class="figure-value">{children}</p>
    <p class="muted">{note}</p>
  </section>
)

const ConversionFigure = ({ of }: { readonly of: Today }) => {
  const created = sumOf(of.created)
  const paid = sumOf(of.paid)
  const share = conversionOf(created, paid)
  return (
    <Figure
      title={texts.value.conversion}
      note={
        share === undefined
          ? texts.value.noConversion
          : texts.value.conversionOf(formatCount(paid), formatCount(created))
      }
    >
      {share === undefined ? "—" : formatPercent(share)}
    </Figure>
  )
}

interface FiguresProps {
  readonly balance: Resource<Balance>
  readonly today: Resource<Today>
}

/** Balance, what came in today, and how many of today's charges are paid. */
export const Figures = ({ balance, today }: FiguresProps) => {
  const { value } = texts
  return (
    <div class="cards">
      <Shown of={balance}>
        {({ available, reserve }) => (
          <Figure
            title={value.balance}
            note={
              <>
                {reserve > 0 && (
                  <>
                    + <Money amount={reserve} /> {value.reserve} ·{" "}
                  </>
                )}
                <Link to="/balance">{value.balanceMore}</Link>
              </>
            }
          >
            <Money amount={available} />
          </Figure>
        )}
      </Shown>
      <Shown of={today}>
        {(shown) => (
          <>
            <Figure title={value.paid} note={value.paidCount(formatCount(sumOf(shown.paid)))}>
              <Money amount={sumOf(shown.paidAmount)} />
            </Figure>
            <ConversionFigure of={shown} />
          </>
        )}
      </Shown>
    </div>
  )
}

/** Today's charges as a plot. */
export const TodayByHour = ({ of }: { readonly of: Resource<Today> }) => {
  const { value } = texts
  const shown = of.value.value
  if (shown === undefined) return null
  return (
    <Card title={value.byHour}>
      <Plot
        label={value.byHour}
        bucket="hour"
        valueText={formatCount}
        series={[
          {
            name: value.created,
            colour: "line-strong",
            points: shown.created,
            summary: formatCount(sumOf(shown.created)),
          },
          {
            name: value.paidSeries,
            colour: "accent",
            points: shown.paid,
            summary: formatCount(sumOf(shown.paid)),
          },
        ]}
      />
    </Card>
  )
}
