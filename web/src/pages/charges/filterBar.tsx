import { useEffect, useState } from "preact/hooks"
import { formLimits } from "../../../../schema/formLimits.ts"
import { setQuery } from "../../app/router.tsx"
import { formatMoney } from "../../text/format.ts"
import { today } from "../../text/today.ts"
import { Button } from "../../ui/button.tsx"
import { Icon } from "../../ui/icons.tsx"
import { periodName } from "../../ui/period.ts"
import { clearFilters, ExportButton, FilterSheet } from "./filterSheet.tsx"
import { filterTexts as texts } from "./filterTexts.ts"
import { type ChargeFilters, wordsIn } from "./listFilters.ts"

const pauseMillis = 300

/** Finds charges by words, a short pause after the last change. */
const WordSearch = ({ q }: { readonly q: string | undefined }) => {
  const [text, setText] = useState(q ?? "")
  useEffect(() => {
    if (wordsIn(text) === q) return
    const timer = setTimeout(() => setQuery({ q: wordsIn(text) }), pauseMillis)
    return () => clearTimeout(timer)
  }, [text])
  // The filters were cleared, or the address changed.
  useEffect(() => {
    if (wordsIn(text) !== q) setText(q ?? "")
  }, [q])
  return (
    <label class="word-search">
      <Icon name="search" />
      <span class="visually-hidden">{texts.value.search}</span>
      <input
        type="search"
        data-testid="charge-search"
        placeholder={texts.value.search}
        value={text}
        maxLength={formLimits.searchLengthMax}
        autocomplete="off"
        onInput={(event) => setText(event.currentTarget.value)}
      />
    </label>
  )
}

const periodText = ({ from, to }: ChargeFilters): string => {
  const name = periodName({ from, to }, today.value)
  if (name !== "custom") return texts.value[name]
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

/** Narrows the list: by words, and by filters that are kept in the address. */
export const FilterBar = ({ filters }: { readonly filters: ChargeFilters }) => {
  const [isOpen, setOpen] = useState(false)
  const open = () => setOpen(true)
  const { from, to, amount_min, amount_max, has_refund } = filters
  const hasPeriod = (from ?? to) !== undefined
  const hasAmount = (amount_min ?? amount_max) !== undefined
  const chosen = [hasPeriod, hasAmount, has_refund !== undefined].filter(Boolean).length
  return (
    <div class="filter-bar">
      <WordSearch q={filters.q} />
      <Button class="sheet-opener" data-testid="filter-sheet" onClick={open}>
        <Icon name="settings" />
        {texts.value.filters}
        {chosen > 0 && ` (${chosen})`}
      </Button>
      <fieldset class="chips filter-chips" aria-label={texts.value.filters}>
        <FilterChip
          name={texts.value.period}
          value={hasPeriod ? periodText(filters) : undefined}
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
        {(chosen > 0 || filters.q !== undefined) && (
          <Button kind="quiet" onClick={clearFilters}>
            {texts.value.clear}
          </Button>
        )}
      </fieldset>
      <div class="filter-export">
        <ExportButton filters={filters} />
      </div>
      {isOpen && <FilterSheet filters={filters} onClose={() => setOpen(false)} />}
    </div>
  )
}
