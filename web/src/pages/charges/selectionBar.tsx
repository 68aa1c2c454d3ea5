import { tableFormats } from "../../../../schema/exportFormats.ts"
import type { TransactionSummary } from "../../../../schema/resources/transaction.ts"
import { download } from "../../api/http.ts"
import { formatCount, formatMoney } from "../../text/format.ts"
import { language, textsOf } from "../../text/i18n.ts"
import { today } from "../../text/today.ts"
import { Button } from "../../ui/button.tsx"
import { datedFile, ExportMenu } from "../../ui/exportMenu.tsx"
import { Icon } from "../../ui/icons.tsx"
import { leftToRefund } from "./rules.ts"

const texts = textsOf({
  "pt-BR": {
    label: "Cobranças selecionadas",
    selected: (count: number, text: string) => (count === 1 ? "1 selecionada" : `${text} selecionadas`),
    refund: "Devolver",
    clear: "Limpar",
  },
  en: {
    label: "Selected charges",
    selected: (_count: number, text: string) => `${text} selected`,
    refund: "Refund",
    clear: "Clear",
  },
})

interface SelectionBarProps {
  readonly charges: ReadonlyArray<TransactionSummary>
  readonly onRefund: () => void
  readonly onClear: () => void
}

/** What can be done to the charges that are ticked. */
export const SelectionBar = ({ charges, onRefund, onClear }: SelectionBarProps) => {
  const { value } = texts
  const sum = charges.reduce((total, { amount }) => total + amount, 0)
  return (
    <section class="selection-bar" aria-label={value.label} data-testid="selection-bar">
      <span role="status">
        <strong>{value.selected(charges.length, formatCount(charges.length))}</strong>{" "}
        <span class="muted">{formatMoney(sum)}</span>
      </span>
      {charges.some((charge) => leftToRefund(charge) > 0) && (
        <Button needs="refunding" data-testid="bulk-refund" onClick={onRefund}>
          <Icon name="refund" /> {value.refund}
        </Button>
      )}
      <ExportMenu
        formats={tableFormats}
        read={async (format) =>
          datedFile(
            await download("POST /v1/me/transactions/export", {
              body: { ids: charges.map(({ id }) => id), format, locale: language.value },
            }),
            today.value,
          )
        }
      />
      <Button kind="quiet" data-testid="selection-clear" onClick={onClear}>
        {value.clear}
      </Button>
    </section>
  )
}
