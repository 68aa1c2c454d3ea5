import { useState } from "preact/hooks"
import { parseAmount } from "../../../../schema/amountText.ts"
import { tableFormats } from "../../../../schema/exportFormats.ts"
import { formLimits } from "../../../../schema/formLimits.ts"
import { refusal } from "../../api/creation.ts"
import { download } from "../../api/http.ts"
import { setQuery } from "../../app/router.tsx"
import { formatAmountInput } from "../../text/amount.ts"

import { language } from "../../text/i18n.ts"
import { today } from "../../text/today.ts"
import { Button } from "../../ui/button.tsx"
import { Dialog } from "../../ui/dialog.tsx"
import { datedFile, ExportMenu } from "../../ui/exportMenu.tsx"
import { Field, Form, Select, textOf } from "../../ui/form.tsx"
import { type PeriodName, periodName, periodNames, periodOf } from "../../ui/period.ts"
import { periodTexts } from "../../ui/periodTexts.ts"
import { filterTexts as texts } from "./filterTexts.ts"
import { type ChargeFilters, narrowingNames } from "./listFilters.ts"

/** Centavos of a field; null where its text is no amount. */
const amountIn = (values: FormData, name: string): string | undefined | null => {
  const text = textOf(values, name)
  if (text === "") return undefined
  const amount = parseAmount(text)
  return amount === undefined || amount > formLimits.amountMax ? null : String(amount)
}

/** Shows all charges of the status again. */
export const clearFilters = () =>
  setQuery(Object.fromEntries(narrowingNames.map((name) => [name, undefined])))

const AmountFields = ({ filters }: { readonly filters: ChargeFilters }) => (
  <div class="field-pair">
    {(["amount_min", "amount_max"] as const).map((end) => {
      const value = filters[end]
      return (
        <Field
          key={end}
          label={end === "amount_min" ? texts.value.amountMin : texts.value.amountMax}
          name={end}
          inputMode="decimal"
          placeholder="R$"
          saysOptional={false}
          defaultValue={value === undefined ? "" : formatAmountInput(Number(value))}
          data-testid={end}
        />
      )
    })}
  </div>
)

const DayFields = ({ filters }: { readonly filters: ChargeFilters }) => (
  <div class="field-pair">
    {(["from", "to"] as const).map((end) => (
      <Field
        key={end}
        label={end === "from" ? texts.value.firstDay : texts.value.lastDay}
        name={end}
        type="date"
        defaultValue={filters[end] ?? today.value}
        required
      />
    ))}
  </div>
)

/** Saves the charges of the list as a file. */
export const ExportButton = ({ filters }: { readonly filters: ChargeFilters }) => (
  <ExportMenu
    report="transactions"
    formats={tableFormats}
    read={async (format) =>
      datedFile(
        await download("GET /v1/me/transactions/export", {
          query: { ...filters, format, locale: language.value },
        }),
        today.value,
      )
    }
  />
)

/** All filters in a dialog, which on a phone comes from below. */
export const FilterSheet = ({
  filters,
  onClose,
}: {
  readonly filters: ChargeFilters
  readonly onClose: () => void
}) => {
  const { from, to } = filters
  const [name, setName] = useState<PeriodName>(periodName({ from, to }, today.value))
  const [refund, setRefund] = useState<string>(filters.has_refund ?? "")
  const apply = async (values: FormData) => {
    const [min, max] = [amountIn(values, "amount_min"), amountIn(values, "amount_max")]
    if (min === null || max === null) throw refusal(texts.value.amountBad)
    const period =
      name === "custom"
        ? { from: textOf(values, "from"), to: textOf(values, "to") }
        : periodOf(name, today.value)
    setQuery({
      from: period.from,
      to: period.to,
      amount_min: min,
      amount_max: max,
      has_refund: refund,
    })
    onClose()
  }
  return (
    <Dialog title={texts.value.filters} isSheet onClose={onClose}>
      <Form onSubmit={apply} submit={texts.value.apply}>
        <Select
          label={texts.value.period}
          value={name}
          onChange={(event) => setName(event.currentTarget.value as PeriodName)}
        >
          {periodNames.map((one) => (
            <option key={one} value={one}>
              {periodTexts.value[one]}
            </option>
          ))}
        </Select>
        {name === "custom" && <DayFields filters={filters} />}
        <AmountFields filters={filters} />
        <Select
          label={texts.value.refund}
          name="has_refund"
          value={refund}
          onChange={(event) => setRefund(event.currentTarget.value)}
        >
          <option value="">{texts.value.anyRefund}</option>
          <option value="true">{texts.value.hasRefund}</option>
          <option value="false">{texts.value.noRefund}</option>
        </Select>
      </Form>
      <div class="sheet-rest">
        <Button
          kind="quiet"
          onClick={() => {
            clearFilters()
            onClose()
          }}
        >
          {texts.value.clear}
        </Button>
        <ExportButton filters={filters} />
      </div>
    </Dialog>
  )
}
