import type { EntryCharge } from "../../../../schema/resources/ledger.ts"
import type { Refund, RefundOrigin } from "../../../../schema/resources/refund.ts"
import type { List } from "../../api/resource.ts"
import { Link } from "../../app/router.tsx"
import { failureReasonText } from "../../text/bankReasons.ts"
import { formatMoney } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { More } from "../../ui/page.tsx"
import { ReceiptButton } from "../../ui/receiptButton.tsx"
import { Cell, Table, TableRow } from "../../ui/table.tsx"
import { Foreign, Money, Status, When } from "../../ui/values.tsx"

const texts = textsOf<{
  readonly label: string
  readonly amount: string
  readonly status: string
  readonly reason: string
  readonly origin: string
  readonly noReason: string
  readonly payer: string
  readonly created: string
  readonly completed: string
  readonly open: string
  readonly seller: string
  readonly origins: Readonly<Record<RefundOrigin, string>>
  readonly reasons: Readonly<Record<string, string>>
}>({
  "pt-BR": {
    label: "Devoluções",
    amount: "Valor",
    status: "Situação",
    reason: "Motivo",
    origin: "Origem",
    noReason: "Sem motivo informado",
    payer: "Pagador",
    created: "Solicitada em",
    completed: "Terminou em",
    open: "Abrir a cobrança da devolução de",
    seller: "Vendedor",
    origins: { seller: "Sua conta", operator: "Operação", partner: "Banco" },
    reasons: {
      MED_FRAUDE: "Contestação: fraude",
      MED_OPERACIONAL: "Contestação: falha operacional",
      MED_PIX_AUTOMATICO: "Contestação: Pix Automático",
    },
  },
  en: {
    label: "Refunds",
    amount: "Amount",
    status: "Status",
    reason: "Reason",
    origin: "Started by",
    noReason: "No reason given",
    payer: "Payer",
    created: "Requested",
    completed: "Ended",
    open: "Open the charge of the refund of",
    seller: "Seller",
    origins: { seller: "Your account", operator: "Operators", partner: "Bank" },
    reasons: {
      MED_FRAUDE: "Chargeback: fraud",
      MED_OPERACIONAL: "Chargeback: operational failure",
      MED_PIX_AUTOMATICO: "Chargeback: Pix Automático",
    },
  },
})

/** Why it was refunded, and why that failed. */
const ReasonText = ({ refund }: { readonly refund: Refund }) => {
  const { reason, failure_code, failure_reason } = refund
  const failure = failureReasonText(failure_code, failure_reason)
  if (reason === null && failure === undefined)
    return <span class="muted not-on-phones">{texts.value.noReason}</span>
  return (
    <>
      {reason !== null && <Foreign>{texts.value.reasons[reason] ?? reason}</Foreign>}
      {failure !== undefined && (
        <span class="bad" title={failure_reason ?? undefined}>
          {reason === null ? "" : " · "}
          <Foreign>{failure}</Foreign>
        </span>
      )}
    </>
  )
}

const Reason = ({ refund }: { readonly refund: Refund }) => (
  <span class="clamped">
    <ReasonText refund={refund} />
  </span>
)

/** A refund of a list, with the charge that it is of where the list was read with it. */
type ListedRefund = Refund & { readonly charge?: EntryCharge | null }

interface RefundRowsProps {
  readonly of: ReadonlyArray<ListedRefund>
  /** Whether an operator reads it, so that the seller is somebody else. Default: false. */
  readonly isForOperator?: boolean
  /** Whether rows name their payers and lead to the charges, as on the page of all refunds. Default: false. */
  readonly isOfMany?: boolean
  /** Who is likely to get the receipts, where all are of one charge. */
  readonly payerEmail?: string | undefined
}

/** Who paid, with what for and why it went back, on phones where a reason was given; the reason alone where the charge is not known. */
const Payer = ({ refund }: { readonly refund: ListedRefund }) => {
  const { charge } = refund
  if (charge == null) return <Reason refund={refund} />
  return (
    <>
      <span class="clamped">
        <Foreign>{charge.customer.name}</Foreign>
      </span>
      <small class="second-line on-phones" data-testid="refund-reason">
        <span class="clamped">
          {charge.reference !== null && (
            <span class="not-on-phones">
              <Foreign>{charge.reference}</Foreign>
              {" · "}
            </span>
          )}
          <ReasonText refund={refund} />
        </span>
      </small>
    </>
  )
}

const originText = (origin: RefundOrigin, isForOperator: boolean): string =>
  isForOperator && origin === "seller" ? texts.value.seller : texts.value.origins[origin]

/** Refunds that were read, as a table. */
export const RefundRows = ({ of, isForOperator = false, isOfMany = false, payerEmail }: RefundRowsProps) => {
  const { value } = texts
  return (
    <Table
      label={value.label}
      columns={[
        isOfMany ? value.payer : value.reason,
        value.origin,
        value.status,
        value.created,
        value.completed,
        { right: value.amount },
        ...(isForOperator ? [] : [{ right: "" }]),
      ]}
    >
      {of.map((refund) => (
        <TableRow
          key={refund.id}
          data-testid="refund-row"
          data-id={refund.id}
          data-status={refund.status}
          opens={isOfMany}
        >
          <Cell place="title" label={isOfMany ? value.payer : value.reason}>
            {isOfMany ? (
              <Link to={`/charges/${refund.transaction_id}`}>
                <span class="visually-hidden">
                  {value.open} {formatMoney(refund.amount)}{" "}
                </span>
                <Payer refund={refund} />
              </Link>
            ) : (
              <Reason refund={refund} />
            )}
          </Cell>
          <Cell place="note" label={value.origin}>
            {originText(refund.origin, isForOperator)}
          </Cell>
          <Cell place="state" label={value.status}>
            <Status status={refund.status} />
          </Cell>
          <Cell place="when" label={value.created}>
            <When at={refund.created_at} />
          </Cell>
          <Cell place="wide" label={value.completed}>
            <When at={refund.completed_at} />
          </Cell>
          <Cell place="amount" label={value.amount}>
            <Money amount={refund.amount} />
          </Cell>
          {!isForOperator && (
            <Cell place="buttons">
              {refund.status === "succeeded" && (
                <ReceiptButton kind="refunds" id={refund.id} email={payerEmail} isQuiet />
              )}
            </Cell>
          )}
        </TableRow>
      ))}
    </Table>
  )
}

/** A list of refunds, newest first. */
export const RefundTable = ({
  of,
  ...shown
}: Omit<RefundRowsProps, "of"> & { readonly of: List<ListedRefund> }) => (
  <>
    <RefundRows of={of.value.value?.data ?? []} {...shown} />
    <More of={of} />
  </>
)
