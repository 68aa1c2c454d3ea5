import { eventCatalog } from "../../../../schema/events.ts"
import { query, queryChoice, setQuery } from "../../app/router.tsx"
import { eventName } from "../../text/eventNames.ts"
import { textsOf } from "../../text/i18n.ts"
import { today } from "../../text/today.ts"
import { Button } from "../../ui/button.tsx"
import { PeriodFilter } from "../../ui/filters.tsx"
import { Select } from "../../ui/form.tsx"
import { readPeriod } from "../../ui/period.ts"
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
      <PeriodFilter today={today.value} />
      {Object.values(filters).some((one) => one !== undefined) && (
        <Button kind="quiet" onClick={() => setQuery(cleared)}>
          {value.clear}
        </Button>
      )}
    </fieldset>
  )
}
