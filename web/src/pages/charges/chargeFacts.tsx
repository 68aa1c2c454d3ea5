import type { ComponentChildren } from "preact"
import type { Transaction } from "../../../../schema/resources/transaction.ts"
import { isOperator } from "../../api/session.ts"
import { formatCount, formatMoney } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { lazily } from "../../ui/lazily.tsx"
import { Card, Facts } from "../../ui/page.tsx"
import { TaxDocument } from "../../ui/taxDocument.tsx"
import { CopiedCode, Foreign, Moment, Money } from "../../ui/values.tsx"

const ChargeCustomer = lazily(() => import("./chargeCustomer.tsx").then((part) => part.ChargeCustomer))
const ChargeLink = lazily(() => import("./chargeLink.tsx").then((part) => part.ChargeLink))
const ExceptionsCard = lazily(() => import("./exceptionsCard.tsx").then((part) => part.ExceptionsCard))

const texts = textsOf({
  "pt-BR": {
    amounts: "Valores",
    gross: "Bruto",
    fee: "Tarifa",
    net: "Líquido",
    refunded: "Devolvido",
    reserve: "Em reserva",
    until: "até",
    customer: "Cliente",
    document: "CPF ou CNPJ",
    order: "Pedido",
    ids: "Identificadores",
    id: "Id",
    txid: "txid",
    endToEnd: "End-to-end id",
    postback: "Postback",
    returns: "Volta para a loja em",
  },
  en: {
    amounts: "Amounts",
    gross: "Gross",
    fee: "Fee",
    net: "Net",
    refunded: "Refunded",
    reserve: "In reserve",
    until: "until",
    customer: "Customer",
    document: "CPF or CNPJ",
    order: "Order",
    ids: "Identifiers",
    id: "Id",
    txid: "txid",
    endToEnd: "End-to-end id",
    postback: "Postback",
    returns: "Back to the shop at",
  },
})

/** Who pays a charge. */
export const Customer = ({ charge: { id, customer } }: { readonly charge: Transaction }) => (
  <Card title={texts.value.customer}>
    <ul class="lines">
      <li>
        <strong>
          <Foreign>{customer.name}</Foreign>
        </strong>
      </li>
      <li>
        <Foreign>{customer.email}</Foreign>
      </li>
      {customer.phone !== null && (
        <li>
          <Foreign>{customer.phone}</Foreign>
        </li>
      )}
      <li>
        <span class="visually-hidden">{texts.value.document} </span>
        <TaxDocument of={customer.document} />
      </li>
    </ul>
    {!isOperator.value && <ChargeCustomer id={id} />}
  </Card>
)

interface SumLineProps {
  readonly name: ComponentChildren
  readonly amount: number
  readonly isTotal?: boolean
  readonly isLess?: boolean
}

const SumLine = ({ name, amount, isTotal = false, isLess = false }: SumLineProps) => (
  <div class={isTotal ? "total" : undefined}>
    <dt>{name}</dt>
    <dd>
      {isLess && amount > 0 && "−"}
      <Money amount={amount} />
    </dd>
  </div>
)

/** What a charge that was paid brings, as a sum: gross, less the fee, less what went back. */
export const Amounts = ({ charge }: { readonly charge: Transaction }) => {
  const { value } = texts
  const { amount, fee, net_amount, refunded_amount, reserve, paid_at } = charge
  if (paid_at === null) return null
  return (
    <Card title={value.amounts}>
      <dl class="sum" data-testid="charge-sum">
        <SumLine name={value.gross} amount={amount} />
        <SumLine name={value.fee} amount={fee} isLess />
        {refunded_amount > 0 && <SumLine name={value.refunded} amount={refunded_amount} isLess />}
        <SumLine name={value.net} amount={net_amount - refunded_amount} isTotal />
        {reserve !== null && reserve.released_at === null && (
          <SumLine
            name={
              <>
                {value.reserve}{" "}
                <small class="second-line">
                  {value.until} <Moment at={reserve.release_at} />
                </small>
              </>
            }
            amount={reserve.amount}
          />
        )}
      </dl>
    </Card>
  )
}

/** What is paid for, and the seller's own data. */
export const Order = ({
  charge: { description, items, metadata, payment_link_id: linkId },
}: {
  readonly charge: Transaction
}) => (
  <Card title={texts.value.order}>
    {linkId !== undefined && !isOperator.value && <ChargeLink id={linkId} />}
    {description !== null && !items.some(({ name }) => name === description) && (
      <p>
        <Foreign>{description}</Foreign>
      </p>
    )}
    <ul class="lines">
      {items.map(({ name, quantity, unit_amount }, index) => (
        // Items have no id, and never change order.
        <li key={index} class="line" data-testid="order-item">
          <span>
            <Foreign>{name}</Foreign>
            {quantity > 1 && (
              <small class="second-line">{`${formatCount(quantity)} × ${formatMoney(unit_amount)}`}</small>
            )}
          </span>
          <Money amount={quantity * unit_amount} />
        </li>
      ))}
      {Object.entries(metadata).map(([name, value]) => (
        <li key={name} class="line">
          <span class="muted">
            <Foreign>{name}</Foreign>
          </span>
          <Foreign>{String(value)}</Foreign>
        </li>
      ))}
    </ul>
  </Card>
)

/** Payments that do not fit a charge; nothing where there are none. */
export const ChargeExceptions = ({ charge: { exceptions } }: { readonly charge: Transaction }) =>
  exceptions.length === 0 ? null : <ExceptionsCard exceptions={exceptions} />

/** The ids to look a charge up by elsewhere: a press copies one. */
export const Identifiers = ({ charge }: { readonly charge: Transaction }) => {
  const { value } = texts
  return (
    <Card title={value.ids}>
      <div class="ids">
        <Facts
          of={[
            [value.id, <CopiedCode key="id">{charge.id}</CopiedCode>],
            [value.txid, <CopiedCode key="txid">{charge.pix.txid}</CopiedCode>],
            [
              value.endToEnd,
              charge.end_to_end_id !== null && <CopiedCode>{charge.end_to_end_id}</CopiedCode>,
            ],
            [value.returns, charge.return_url !== null && <CopiedCode>{charge.return_url}</CopiedCode>],
            [value.postback, charge.postback_url !== null && <CopiedCode>{charge.postback_url}</CopiedCode>],
          ]}
        />
      </div>
    </Card>
  )
}
