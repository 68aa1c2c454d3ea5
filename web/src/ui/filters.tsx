import { useState } from "preact/hooks"
import { query, queryChoice, setQuery } from "../app/router.tsx"
import { textsOf } from "../text/i18n.ts"
import { statusText } from "../text/statuses.ts"
import { today } from "../text/today.ts"
import { Button } from "./button.tsx"
import { Field, Select } from "./form.tsx"
import { type PeriodName, periodName, periodNames, periodOf, readPeriod } from "./period.ts"
import { periodTexts } from "./periodTexts.ts"

const texts = textsOf({
  "pt-BR": {
    filters: "Filtros",
    status: "Situação",
    any: "Todas",
    period: "Período",
    from: "De",
    to: "Até",
    clear: "Limpar filtros",
  },
  en: {
    filters: "Filters",
    status: "Status",
    any: "All",
    period: "Period",
    from: "From",
    to: "To",
    clear: "Clear filters",
  },
})

/** The filters of a list, from the address: what {@link Filters} shows, as the API takes them. */
export const readFilters = <Status extends string>(statuses: ReadonlyArray<Status>) => ({
  status: queryChoice("status", statuses),
  ...readPeriod(query.value),
})

interface PeriodFilterProps {
  /** The day that named periods end with. */
  readonly today: string
  /** What happened in the period. Default: that is plain. */
  readonly label?: string
}

/** Chooses the period of a list, which the address keeps. */
export const PeriodFilter = ({ today, label = texts.value.period }: PeriodFilterProps) => {
  const { from, to } = readPeriod(query.value)
  const named = periodName({ from, to }, today)
  const [isCustom, setCustom] = useState(named === "custom")
  // Filters that were cleared leave no days to choose.
  const shown = isCustom && named !== "all" ? "custom" : named
  const choose = (name: PeriodName) => {
    setCustom(name === "custom")
    const period = name === "custom" ? { from: from ?? today, to: to ?? today } : periodOf(name, today)
    setQuery({ from: period.from, to: period.to })
  }
  return (
    <>
      <Select
        label={label}
        value={shown}
        onChange={(event) => choose(event.currentTarget.value as PeriodName)}
      >
        {periodNames.map((name) => (
          <option key={name} value={name}>
            {periodTexts.value[name]}
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
    </>
  )
}

/** Takes status and period out of the address. */
export const ClearFilters = () => (
  <Button kind="quiet" onClick={() => setQuery({ status: undefined, from: undefined, to: undefined })}>
    {texts.value.clear}
  </Button>
)

/** Chooses status and period of a list. Both are kept in the address, so that a reload or a shared link shows the same. */
export const Filters = ({ statuses }: { readonly statuses: ReadonlyArray<string> }) => {
  const { status, from, to } = readFilters(statuses)
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
      <PeriodFilter today={today.value} />
      {(status ?? from ?? to) !== undefined && <ClearFilters />}
    </fieldset>
  )
}
