import { useRead } from "../../api/resource.ts"
import { formatMoney } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { Shown } from "../../ui/page.tsx"
import { type KindGroup, kindsOf, movesMoney, type Period } from "./rules.ts"

const texts = textsOf({
  "pt-BR": {
    title: "Totais do período",
    opening: "Saldo inicial",
    gained: "Entradas",
    lost: "Saídas",
    returned: "Devolvido ao saldo",
    closing: "Saldo final",
    returnedHint:
      "Saiu para saques ou devoluções que não se realizaram, e voltou: não conta em entradas e saídas.",
    tooLong: "Movimentos demais para somar entradas e saídas: escolha um período menor.",
  },
  en: {
    title: "Totals of the period",
    opening: "Opening balance",
    gained: "In",
    lost: "Out",
    returned: "Returned to the balance",
    closing: "Closing balance",
    returnedHint:
      "Left for withdrawals or refunds that did not happen, and came back: counts neither as in nor as out.",
    tooLong: "Too many movements to add up what came in and went out: choose a shorter period.",
  },
})

/** Each reading may add up thousands of entries, so a busy shop's are this far apart at least. */
const delayMillisMin = 3_000

interface TotalsProps {
  readonly period: Period
  /** The only kinds that are counted; balances are of all, so they are left out then. */
  readonly kind: KindGroup | undefined
}

/** What a period of the statement comes to. */
export const StatementTotals = ({ period, kind }: TotalsProps) => {
  const { value } = texts
  const kinds = kind === undefined ? {} : { kinds: kindsOf(kind) }
  const summary = useRead(
    "GET /v1/me/statement/summary",
    { query: { ...period, ...kinds } },
    { reloadsOn: movesMoney, delayMillis: delayMillisMin },
  )
  return (
    <Shown of={summary}>
      {({ opening, closing, gained, lost, returned }) => {
        const isAll = kind === undefined
        const parts = [
          ...(isAll ? [["opening", opening] as const] : []),
          ...(gained === null ? [] : [["gained", gained] as const]),
          ...(lost === null ? [] : [["lost", lost] as const]),
          ...(returned === null || returned === 0 ? [] : [["returned", returned] as const]),
          ...(isAll ? [["closing", closing] as const] : []),
        ]
        return (
          <div class="statement-totals" data-testid="statement-totals">
            <dl aria-label={value.title}>
              {parts.map(([name, amount]) => (
                <div key={name} title={name === "returned" ? value.returnedHint : undefined}>
                  <dt>{value[name]}</dt>
                  <dd data-sum={name} data-amount={amount}>
                    {formatMoney(amount)}
                  </dd>
                </div>
              ))}
            </dl>
            {gained === null && <p class="muted">{value.tooLong}</p>}
          </div>
        )
      }}
    </Shown>
  )
}
