import { useState } from "preact/hooks"
import type { TransactionSummary } from "../../../../schema/resources/transaction.ts"
import { formatCount, formatMoney } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { Button } from "../../ui/button.tsx"
import { Icon } from "../../ui/icons.tsx"
import { BulkRefund } from "./bulkRefund.tsx"

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
  readonly onClear: () => void
}

/** What can be done to the charges that are ticked. */
export const SelectionBar = ({ charges, onClear }: SelectionBarProps) => {
  const [isRefunding, setRefunding] = useState(false)
  const { value } = texts
  const sum = charges.reduce((total, { amount }) => total + amount, 0)
  return (
    <section class="selection-bar" aria-label={value.label} data-testid="selection-bar">
      <span role="status">
        <strong>{value.selected(charges.length, formatCount(charges.length))}</strong>{" "}
        <span class="muted">{formatMoney(sum)}</span>
      </span>
      <Button data-testid="bulk-refund" onClick={() => setRefunding(true)}>
        <Icon name="refund" /> {value.refund}
      </Button>
      <Button kind="quiet" data-testid="selection-clear" onClick={onClear}>
        {value.clear}
      </Button>
      {isRefunding && (
        <BulkRefund
          charges={charges}
          onClose={(isBegun) => {
            setRefunding(false)
            if (isBegun) onClear()
          }}
        />
      )}
    </section>
  )
}
