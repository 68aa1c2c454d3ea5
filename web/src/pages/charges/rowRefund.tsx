import { useEffect } from "preact/hooks"
import type { TransactionSummary } from "../../../../schema/resources/transaction.ts"
import { useList, useRead } from "../../api/resource.ts"
import { failureText } from "../../text/failures.ts"
import { textsOf } from "../../text/i18n.ts"
import { notify } from "../../ui/notice.tsx"
import { RefundForm } from "./refundForm.tsx"
import { leftOf } from "./rules.ts"

const texts = textsOf({ "pt-BR": { done: "Devolução pedida." }, en: { done: "Refund requested." } })

interface RowRefundProps {
  readonly of: TransactionSummary
  readonly onClose: () => void
}

/** The dialog that refunds a charge of the list, once the charge and its refunds are read. */
export const RowRefund = ({ of: { id }, onClose }: RowRefundProps) => {
  const read = useRead("GET /v1/me/transactions/:id", { params: { id } })
  const listed = useList("GET /v1/me/refunds", { query: { transaction_id: id, limit: 20 } })
  const [charge, refunds] = [read.value.value, listed.value.value]
  const error = read.error.value ?? listed.error.value
  useEffect(() => {
    if (error === undefined) return
    notify(failureText(error))
    onClose()
  }, [error])
  if (charge === undefined || refunds === undefined) return null
  return (
    <RefundForm
      charge={charge}
      left={leftOf(charge, refunds.data)}
      onClose={onClose}
      onCreated={async () => {
        notify(texts.value.done)
        onClose()
      }}
    />
  )
}
