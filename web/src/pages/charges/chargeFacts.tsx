import type { Transaction } from "../../../../schema/resources/transaction.ts"
import { formatCount, formatDocument } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { Card, Facts } from "../../ui/page.tsx"
import { Code, Copy, Foreign, Moment, Money } from "../../ui/values.tsx"

const texts = textsOf({
  "pt-BR": {
    amounts: "Valores",
    gross: "Bruto",
    fee: "Tarifa",
    net: "Líquido",
    refunded: "Devolvido",
    reserve: "Em reserva",
    release: "Liberação da reserva",
    details: "Detalhes",
    customer: "Quem paga",
    email: "E-mail",
    document: "CPF ou CNPJ",
    phone: "Telefone",
    items: "Itens",
    created: "Criada em",
    expires: "Expira em",
    paid: "Paga em",
    failure: "Motivo da falha",
    id: "Id",
    txid: "txid",
    endToEnd: "End-to-end id",
    postback: "Postback",
    metadata: "Metadados",
    exceptions: "Pagamentos fora do esperado",
    late_payment: "Pago depois de expirar",
    double_payment: "Pago mais de uma vez",
    amount_mismatch: "Valor diferente do cobrado",
  },
  en: {
    amounts: "Amounts",
    gross: "Gross",
    fee: "Fee",
    net: "Net",
    refunded: "Refunded",
    reserve: "In reserve",
    release: "Reserve released",
    details: "Details",
    customer: "Payer",
    email: "E-mail address",
    document: "CPF or CNPJ",
    phone: "Phone",
    items: "Items",
    created: "Created",
    expires: "Expires",
    paid: "Paid",
    failure: "Why it failed",
    id: "Id",
    txid: "txid",
    endToEnd: "End-to-end id",
    postback: "Postback",
    metadata: "Metadata",
    exceptions: "Unexpected payments",
    late_payment: "Paid after it had expired",
    double_payment: "Paid more than once",
    amount_mismatch: "Another amount than was asked for",
  },
})

/** What a charge brings: gross, fee, net, and what went back. */
export const Amounts = ({ charge }: { readonly charge: Transaction }) => (
  <Card title={texts.value.amounts}>
    <Facts
      of={[
        [texts.value.gross, <Money amount={charge.amount} key="gross" />],
        [texts.value.fee, <Money amount={charge.fee} key="fee" />],
        [texts.value.net, <Money amount={charge.net_amount} key="net" />],
        [texts.value.refunded, <Money amount={charge.refunded_amount} key="refunded" />],
        [
          texts.value.reserve,
          charge.reserve !== null && charge.reserve.released_at === null && (
            <Money amount={charge.reserve.amount} />
          ),
        ],
        [texts.value.release, charge.reserve !== null && <Moment at={charge.reserve.release_at} />],
      ]}
    />
  </Card>
)

const Id = ({ of }: { readonly of: string }) => (
  <span class="copied">
    <Code>{of}</Code> <Copy text={of} />
  </span>
)

const Items = ({ charge }: { readonly charge: Transaction }) => (
  <ul>
    {charge.items.map(({ name, quantity, unit_amount }, index) => (
      // Items have no id, and never change order.
      <li key={index}>
        {quantity > 1 && `${formatCount(quantity)} × `}
        <Foreign>{name}</Foreign> <Money amount={unit_amount} />
      </li>
    ))}
  </ul>
)

const Metadata = ({ charge }: { readonly charge: Transaction }) => {
  const entries = Object.entries(charge.metadata)
  if (entries.length === 0) return null
  return (
    <ul>
      {entries.map(([name, value]) => (
        <li key={name}>
          <span class="muted">
            <Foreign>{name}</Foreign>
          </span>{" "}
          <Foreign>{String(value)}</Foreign>
        </li>
      ))}
    </ul>
  )
}

const Exceptions = ({ charge }: { readonly charge: Transaction }) =>
  charge.exceptions.length === 0 ? null : (
    <ul>
      {charge.exceptions.map(({ kind, end_to_end_id, amount, created_at }) => (
        <li key={`${kind} ${end_to_end_id}`}>
          {texts.value[kind]}: <Money amount={amount} /> <Moment at={created_at} />
        </li>
      ))}
    </ul>
  )

/** Who pays, what for, when, and the ids to look it up by elsewhere. */
export const Details = ({ charge }: { readonly charge: Transaction }) => {
  const { customer } = charge
  const hasMetadata = Object.keys(charge.metadata).length > 0
  return (
    <Card title={texts.value.details}>
      <Facts
        of={[
          [texts.value.customer, <Foreign key="name">{customer.name}</Foreign>],
          [texts.value.email, <Foreign key="email">{customer.email}</Foreign>],
          [texts.value.document, <Foreign key="document">{formatDocument(customer.document)}</Foreign>],
          [texts.value.phone, customer.phone !== null && <Foreign>{customer.phone}</Foreign>],
          [texts.value.items, <Items key="items" charge={charge} />],
          [texts.value.metadata, hasMetadata && <Metadata charge={charge} />],
          [texts.value.created, <Moment key="created" at={charge.created_at} />],
          [texts.value.expires, <Moment key="expires" at={charge.expires_at} />],
          [texts.value.paid, charge.paid_at !== null && <Moment at={charge.paid_at} />],
          [texts.value.failure, charge.failure_reason !== null && <Foreign>{charge.failure_reason}</Foreign>],
          [texts.value.id, <Id key="id" of={charge.id} />],
          [texts.value.txid, <Id key="txid" of={charge.pix.txid} />],
          [texts.value.endToEnd, charge.end_to_end_id !== null && <Id of={charge.end_to_end_id} />],
          [texts.value.postback, charge.postback_url !== null && <Foreign>{charge.postback_url}</Foreign>],
          [texts.value.exceptions, charge.exceptions.length > 0 && <Exceptions charge={charge} />],
        ]}
      />
    </Card>
  )
}
