import { useState } from "preact/hooks"
import { useRead } from "../../api/resource.ts"
import { Link, setQuery } from "../../app/router.tsx"
import { formatMoney } from "../../text/format.ts"
import { today } from "../../text/today.ts"
import { Button } from "../../ui/button.tsx"
import { Icon } from "../../ui/icons.tsx"
import { periodName } from "../../ui/period.ts"
import { periodTexts } from "../../ui/periodTexts.ts"
import { Foreign } from "../../ui/values.tsx"
import { WordSearch } from "../../ui/wordSearch.tsx"
import { clearFilters, ExportButton, FilterSheet } from "./filterSheet.tsx"
import { filterTexts as texts } from "./filterTexts.ts"
import type { ChargeFilters } from "./listFilters.ts"

const periodText = ({ from, to }: ChargeFilters): string => {
  const name = periodName({ from, to }, today.value)
  if (name !== "custom") return periodTexts.value[name]
  return [from, to].map((day) => (day ?? "…").split("-").toReversed().join("/")).join(" – ")
}

const amountText = ({ amount_min: min, amount_max: max }: ChargeFilters): string => {
  const [from, to] = [min, max].map((text) => (text === undefined ? "" : formatMoney(Number(text))))
  if (min !== undefined && max !== undefined) return `${from} – ${to}`
  return min === undefined ? texts.value.to(to ?? "") : texts.value.from(from ?? "")
}

interface FilterChipProps {
  readonly name: string
  /** What is chosen; undefined where nothing is. */
  readonly value: string | undefined
  readonly onOpen: () => void
  readonly onClear: () => void
  readonly testId: string
}

/** A filter that can be added, or the one that was chosen with a button that takes it away. */
const FilterChip = ({ name, value, onOpen, onClear, testId }: FilterChipProps) =>
  value === undefined ? (
    <button type="button" class="chip" data-testid={testId} onClick={onOpen}>
      <Icon name="plus" /> {name}
    </button>
  ) : (
    <span class="chip chosen" data-testid={testId}>
      <button type="button" onClick={onOpen}>
        {value}
      </button>
      <button type="button" aria-label={`${texts.value.remove}: ${name}`} onClick={onClear}>
        <Icon name="close" />
      </button>
    </span>
  )

interface OfChipProps {
  readonly to: string
  readonly name: string
  readonly title: string
  readonly onClear: () => void
  readonly testId: string
}

/** Whose charges are listed, with a button that takes the filter away. */
const OfChip = ({ to, name, title, onClear, testId }: OfChipProps) => (
  <span class="chip chosen link-chip" data-testid={testId}>
    <Link to={to}>
      {name}: <Foreign>{title}</Foreign>
    </Link>
    <button type="button" aria-label={`${texts.value.remove}: ${name}`} onClick={onClear}>
      <Icon name="close" />
    </button>
  </span>
)

/** The payment link whose charges are listed, by its title once that is read. */
const LinkChip = ({ id }: { readonly id: string }) => {
  const link = useRead("GET /v1/me/payment-links/:id", { params: { id } })
  return (
    <OfChip
      to={`/links/${id}`}
      name={texts.value.link}
      title={link.value.value?.title ?? id}
      onClear={() => setQuery({ payment_link_id: undefined })}
      testId="filter-link"
    />
  )
}

/** The customer whose charges are listed, by name once that is read. */
const CustomerChip = ({ id }: { readonly id: string }) => {
  const customer = useRead("GET /v1/me/customers/:id", { params: { id } })
  return (
    <OfChip
      to={`/customers/${id}`}
      name={texts.value.customer}
      title={customer.value.value?.name ?? id}
      onClear={() => setQuery({ customer_id: undefined })}
      testId="filter-customer"
    />
  )
}

/** Narrows the list: by words, and by filters that are kept in the address. */
export const FilterBar = ({ filters }: { readonly filters: ChargeFilters }) => {
  const [isOpen, setOpen] = useState(false)
  const open = () => setOpen(true)
  const { from, to, amount_min, amount_max, has_refund, payment_link_id, customer_id } = filters
  const hasPeriod = (from ?? to) !== undefined
  const hasAmount = (amount_min ?? amount_max) !== undefined
  const chosen = [hasPeriod, hasAmount, has_refund !== undefined].filter(Boolean).length
  return (
    <div class="filter-bar">
      <WordSearch
        q={filters.q}
        label={texts.value.search}
        placeholder={texts.value.searchShort}
        testId="charge-search"
      />
      <Button class="sheet-opener" data-testid="filter-sheet" onClick={open}>
        <Icon name="settings" />
        {texts.value.filters}
        {chosen > 0 && ` (${chosen})`}
      </Button>
      <fieldset class="chips filter-chips" aria-label={texts.value.filters}>
        <FilterChip
          name={texts.value.period}
          value={hasPeriod ? `${texts.value.period}: ${periodText(filters)}` : undefined}
          onOpen={open}
          onClear={() => setQuery({ from: undefined, to: undefined })}
          testId="filter-period"
        />
        <FilterChip
          name={texts.value.amount}
          value={hasAmount ? amountText(filters) : undefined}
          onOpen={open}
          onClear={() => setQuery({ amount_min: undefined, amount_max: undefined })}
          testId="filter-amount"
        />
        <FilterChip
          name={texts.value.hasRefund}
          value={
            has_refund === undefined
              ? undefined
              : texts.value[has_refund === "true" ? "hasRefund" : "noRefund"]
          }
          onOpen={() => setQuery({ has_refund: "true" })}
          onClear={() => setQuery({ has_refund: undefined })}
          testId="filter-refund"
        />
        {(chosen > 0 || (filters.q ?? payment_link_id ?? customer_id) !== undefined) && (
          <Button kind="quiet" onClick={clearFilters}>
            {texts.value.clear}
          </Button>
        )}
      </fieldset>
      {payment_link_id !== undefined && <LinkChip id={payment_link_id} />}
      {customer_id !== undefined && <CustomerChip id={customer_id} />}
      <div class="filter-export">
        <ExportButton filters={filters} />
      </div>
      {isOpen && <FilterSheet filters={filters} onClose={() => setOpen(false)} />}
    </div>
  )
}
