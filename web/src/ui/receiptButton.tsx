import { useState } from "preact/hooks"
import { textsOf } from "../text/i18n.ts"
import { Button } from "./button.tsx"
import { Icon } from "./icons.tsx"
import { lazily } from "./lazily.tsx"
import type { ReceiptOf } from "./receiptOf.ts"

const texts = textsOf({ "pt-BR": { receipt: "Comprovante" }, en: { receipt: "Receipt" } })

const ReceiptDialog = lazily(() => import("./receiptDialog.tsx").then((part) => part.ReceiptDialog))

/** Opens what sees, saves or mails a receipt. `isQuiet`: in a row. */
export const ReceiptButton = ({ isQuiet = false, ...of }: ReceiptOf & { readonly isQuiet?: boolean }) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button
        data-testid="receipt-open"
        title={isQuiet ? texts.value.receipt : undefined}
        onClick={() => setOpen(true)}
        {...(isQuiet ? { kind: "quiet" as const } : {})}
      >
        <Icon name="charges" /> <span class="receipt-word">{texts.value.receipt}</span>
      </Button>
      {isOpen && <ReceiptDialog {...of} onClose={() => setOpen(false)} />}
    </>
  )
}
