import { useState } from "preact/hooks"
import { query, queryChoice, setQuery } from "../app/router.tsx"
import { textsOf } from "../text/i18n.ts"
import { statusText } from "../text/statuses.ts"
import { today as todaySignal } from "../text/today.ts"
import { Button } from "./button.tsx"
import { Field, Select } from "./form.tsx"
import { type PeriodName, periodName, periodNames, periodOf, readPeriod } from "./period.ts"

const texts = textsOf({
  "pt-BR": {
    filters: "Filtros",
    status: "Situação",
    any: "Todas",
    period: "Período",
    from: "De",
    to: "Até",
    clear: "Limpar filtros",
    all: "Qualquer data",
    today: "Hoje",
    "7d": "Últimos 7 dias",
    "30d": "Últimos 30 dias",
    custom: "Escolher datas",
  },
  en: {
    filters: "Filters",
    status: "Status",
    any: "All",
    period: "Period",
    from: "From",
    to: "To",
    clear: "Clear filters",
    all: "Any date",
    today: "Today",
    "7d": "Last 7 days",
    "30d": "Last 30 days",
    custom: "Choose dates",
  },
})

/** The filters of a list, from the address: what {@link Filters} shows, as the API takes them. */
export const readFilters = <Status extends string>(statuses: ReadonlyArray<Status>) => ({
  status: queryChoice("status", statuses),
  ...readPeriod(query.value),
})

/** Chooses status and period of a list. Both are kept in the address, so that a reload or a shared link shows the same. */
export const Filters = ({ statuses }: { readonly statuses: ReadonlyArray<string> }) => {
  const { status, from, to } = readFilters(statuses)
  const today = todaySignal.value
  const named = periodName({ from, to }, today)
  const [isCustom, setCustom] = useState(named === "custom")
  const shown = isCustom ? "custom" : named
  const choose = (name: PeriodName) => {
    setCustom(name === "custom")
    const period = name === "custom" ? { from: from ?? today, to: to ?? today } : periodOf(name, today)
    setQuery({ from: period.from, to: period.to })
  }
  const clear = () => {
    setCustom(false)
    setQuery({ status: undefined, from: undefined, to: undefined })
  }
  return (
    <fieldset class="filters" aria-label={texts.value.filters}>
      <Select
        label={texts.value.status}
        value={status ?? ""}
        onChange={(event) => setQuery({ status: event.currentTarget.value })}
      >
        <option value="">{texts.value.any}</option>
        {statuses.map((name) => (
          <option key={name} value={name}>
            {statusText(name)}
          </option>
        ))}
      </Select>
      <Select
        label={texts.value.period}
        value={shown}
        onChange={(event) => choose(event.currentTarget.value as PeriodName)}
      >
        {periodNames.map((name) => (
          <option key={name} value={name}>
            {texts.value[name]}
          </option>
        ))}
      </Select>
      {shown === "custom" &&
        (["from", "to"] as const).map((end) => (
          <Field
            key={end}
            label={texts.value[end]}
            type="date"
            value={(end === "from" ? from : to) ?? ""}
            onChange={(event) => setQuery({ [end]: event.currentTarget.value })}
            required
          />
        ))}
      {(status ?? from ?? to) !== undefined && (
        <Button kind="quiet" onClick={clear}>
          {texts.value.clear}
        </Button>
      )}
    </fieldset>
  )
}
