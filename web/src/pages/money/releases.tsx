import { useState } from "preact/hooks"
import type { BalanceReleases } from "../../../../schema/resources/ledger.ts"
import { formatCount, formatDay } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { today } from "../../text/today.ts"
import { Button } from "../../ui/button.tsx"
import { Money } from "../../ui/values.tsx"

const texts = textsOf({
  "pt-BR": {
    title: "Agenda de liberações",
    total: "Total a liberar",
    none: "Nada retido: tudo o que você recebeu já está disponível.",
    charges: (count: number) => (count === 1 ? "1 cobrança" : `${formatCount(count)} cobranças`),
    later: "Ainda sem dia na agenda",
    more: (count: number) => (count === 1 ? "Mostrar mais 1 dia" : `Mostrar mais ${formatCount(count)} dias`),
  },
  en: {
    title: "Release calendar",
    total: "Total to be released",
    none: "Nothing is held: all that you received is available.",
    charges: (count: number) => (count === 1 ? "1 charge" : `${formatCount(count)} charges`),
    later: "Not on a day of the calendar yet",
    more: (count: number) => (count === 1 ? "Show 1 more day" : `Show ${formatCount(count)} more days`),
  },
})

/** As many days as are seen at first. */
const daysAtFirst = 5

const Days = ({ of: { reserve, data, later } }: { readonly of: BalanceReleases }) => {
  const { value } = texts
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole || data.length === daysAtFirst + 1 ? data : data.slice(0, daysAtFirst)
  const hidden = data.length - shown.length
  return (
    <>
      <ul class="release-days">
        {shown.map(({ date, amount, charges }) => (
          <li key={date} data-testid="release-day" data-day={date}>
            <span>{formatDay(date, today.value)}</span>
            <span class="muted">{value.charges(charges)}</span>
            <Money amount={amount} />
          </li>
        ))}
        {later > 0 && hidden === 0 && (
          <li data-testid="release-later">
            <span>{value.later}</span>
            <Money amount={later} />
          </li>
        )}
      </ul>
      {hidden > 0 && (
        <Button kind="quiet" data-testid="release-more" onClick={() => setWhole(true)}>
          {value.more(hidden)}
        </Button>
      )}
      <p class="release-total">
        <span>{value.total}</span> <Money amount={reserve} testId="release-total" />
      </p>
    </>
  )
}

/** What the reserve makes available on which day. */
export const Releases = ({ of }: { readonly of: BalanceReleases }) => (
  <section class="card releases-card" aria-labelledby="releases-title" data-testid="releases">
    <h2 id="releases-title">{texts.value.title}</h2>
    {of.reserve === 0 ? (
      <p class="muted" data-testid="releases-none">
        {texts.value.none}
      </p>
    ) : (
      <Days of={of} />
    )}
  </section>
)
