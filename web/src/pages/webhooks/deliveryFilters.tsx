import { useState } from "preact/hooks"
import { eventCatalog } from "../../../../schema/events.ts"
import { query, queryChoice, setQuery } from "../../app/router.tsx"
import { eventName } from "../../text/eventNames.ts"
import { textsOf } from "../../text/i18n.ts"
import { today } from "../../text/today.ts"
import { Button } from "../../ui/button.tsx"
import { Field, Select } from "../../ui/form.tsx"
import { type PeriodName, periodName, periodNames, periodOf, readPeriod } from "../../ui/period.ts"
import { deliveryStates } from "./rules.ts"

const texts = textsOf({
  "pt-BR": {
    filters: "Filtros",
    state: "Situação",
    any: "Todas",
    received: "Entregues",
    trying: "Tentando de novo",
    failed: "Falharam",
    code: "Resposta",
    anyCode: "Qualquer",
    none: "Sem resposta",
    type: "Evento",
    anyType: "Todos",
    period: "Período",
    from: "De",
    to: "Até",
    all: "Qualquer data",
    today: "Hoje",
    "7d": "Últimos 7 dias",
    "30d": "Últimos 30 dias",
    custom: "Escolher datas",
    clear: "Limpar filtros",
  },
  en: {
    filters: "Filters",
    state: "Status",
    any: "All",
    received: "Delivered",
    trying: "Trying again",
    failed: "Failed",
    code: "Answer",
    anyCode: "Any",
    none: "No answer",
    type: "Event",
    anyType: "All",
    period: "Period",
    from: "From",
    to: "To",
    all: "Any date",
    today: "Today",
    "7d": "Last 7 days",
    "30d": "Last 30 days",
    custom: "Choose dates",
    clear: "Clear filters",
  },
})

/** Types that are delivered. */
const deliveredTypes = eventCatalog.filter(({ internal }) => !internal).map(({ type }) => type)

/** The filters of deliveries, from the address. */
export const readDeliveryFilters = () => ({
  state: queryChoice("state", deliveryStates),
  code: /^(\d{3}|none)$/.exec(query.value.get("code") ?? "")?.[0],
  type: queryChoice("type", deliveredTypes),
  ...readPeriod(query.value),
})

const cleared = { state: undefined, code: undefined, type: undefined, from: undefined, to: undefined }

const Period = () => {
  const { from, to } = readPeriod(query.value)
  // Attempts are told in true time, whatever the test clock says.
  const [isCustom, setCustom] = useState(false)
  const shown = isCustom ? "custom" : periodName({ from, to }, today.value)
  const choose = (name: PeriodName) => {
    setCustom(name === "custom")
    const period =
      name === "custom" ? { from: from ?? today.value, to: to ?? today.value } : periodOf(name, today.value)
    setQuery({ from: period.from, to: period.to })
  }
  const { value } = texts
  return (
    <>
      <Select
        label={value.period}
        value={shown}
        onChange={(event) => choose(event.currentTarget.value as PeriodName)}
      >
        {periodNames.map((name) => (
          <option key={name} value={name}>
            {value[name]}
          </option>
        ))}
      </Select>
      {shown === "custom" &&
        (["from", "to"] as const).map((end) => (
          <Field
            key={end}
            label={value[end]}
            type="date"
            value={(end === "from" ? from : to) ?? ""}
            onChange={(event) => setQuery({ [end]: event.currentTarget.value })}
            required
          />
        ))}
    </>
  )
}

/** Chooses which deliveries are shown; the address keeps it. `codes` are the answers that there are. */
export const DeliveryFilterBar = ({ codes }: { readonly codes: ReadonlyArray<string> }) => {
  const filters = readDeliveryFilters()
  const { value } = texts
  const codeText = (code: string) => (code === "none" ? value.none : `HTTP ${code}`)
  const known = [...new Set([...codes, ...(filters.code === undefined ? [] : [filters.code])])].sort()
  return (
    <fieldset class="filters" aria-label={value.filters}>
      <Select
        label={value.state}
        value={filters.state ?? ""}
        data-testid="delivery-state-filter"
        onChange={(event) => setQuery({ state: event.currentTarget.value })}
      >
        <option value="">{value.any}</option>
        {deliveryStates.map((state) => (
          <option key={state} value={state}>
            {value[state]}
          </option>
        ))}
      </Select>
      <Select
        label={value.code}
        value={filters.code ?? ""}
        data-testid="delivery-code-filter"
        onChange={(event) => setQuery({ code: event.currentTarget.value })}
      >
        <option value="">{value.anyCode}</option>
        {known.map((code) => (
          <option key={code} value={code}>
            {codeText(code)}
          </option>
        ))}
      </Select>
      <Select
        label={value.type}
        value={filters.type ?? ""}
        data-testid="delivery-type-filter"
        onChange={(event) => setQuery({ type: event.currentTarget.value })}
      >
        <option value="">{value.anyType}</option>
        {deliveredTypes.map((type) => (
          <option key={type} value={type}>
            {eventName(type)}
          </option>
        ))}
      </Select>
      <Period />
      {Object.values(filters).some((one) => one !== undefined) && (
        <Button kind="quiet" onClick={() => setQuery(cleared)}>
          {value.clear}
        </Button>
      )}
    </fieldset>
  )
}
