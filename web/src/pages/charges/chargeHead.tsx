import type { ComponentChildren } from "preact"
import { orderOf } from "../../../../schema/chargeTexts.ts"
import type { Transaction } from "../../../../schema/resources/transaction.ts"
import { formatSpan } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { Foreign, Money, Status, When } from "../../ui/values.tsx"

const texts = textsOf({
  "pt-BR": {
    chargeOf: "Cobrança de",
    pending: "expira",
    paid: "paga",
    expired: "expirou",
    failed: "falhou",
    refunded: "devolvida",
    chargeback: "contestada",
    after: (span: string) => `${span} depois de criada`,
    atOnce: "assim que foi criada",
  },
  en: {
    chargeOf: "Charge of",
    pending: "expires",
    paid: "paid",
    expired: "expired",
    failed: "failed",
    refunded: "refunded",
    chargeback: "charged back",
    after: (span: string) => `${span} after its creation`,
    atOnce: "as soon as it was created",
  },
})

/** The amount and the state of a charge, as the heading of its page. */
export const ChargeHeading = ({ charge }: { readonly charge: Transaction }) => (
  <span class="charge-heading">
    <span class="visually-hidden">{texts.value.chargeOf} </span>
    <Money amount={charge.amount} testId="charge-amount" />{" "}
    <Status status={charge.status} testId="charge-status" />
  </span>
)

/** When a charge came into its state. */
const momentOf = (charge: Transaction): string | null => {
  const { status } = charge
  if (status === "pending") return charge.expires_at
  return charge[`${status}_at`]
}

const separated = (parts: ReadonlyArray<ComponentChildren>): ComponentChildren =>
  parts.map((part, index) => (
    // The parts of a line never change order.
    <span key={index}>
      {index > 0 && " · "}
      {part}
    </span>
  ))

/** Who pays a charge, its order, and when it came into its state: `Fátima Al-Rashid · pedido-1152 · paga hoje 04:55, 1 s depois de criada`. */
export const ChargeLead = ({ charge }: { readonly charge: Transaction }) => {
  const { value } = texts
  const order = orderOf(charge)
  const at = momentOf(charge)
  const { paid_at, created_at, failure_reason, status } = charge
  const millis = paid_at === null ? 0 : Date.parse(paid_at) - Date.parse(created_at)
  return (
    <span data-testid="charge-lead">
      {separated([
        <strong key="payer">
          <Foreign>{charge.customer.name}</Foreign>
        </strong>,
        ...(order === "" ? [] : [<Foreign key="order">{order}</Foreign>]),
        <span key="state">
          {value[status]} {at !== null && <When at={at} />}
          {status === "paid" && `, ${millis < 1_000 ? value.atOnce : value.after(formatSpan(millis))}`}
          {status === "failed" && failure_reason !== null && (
            <>
              : <Foreign>{failure_reason}</Foreign>
            </>
          )}
        </span>,
      ])}
    </span>
  )
}
