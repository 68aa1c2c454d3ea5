import type { Transaction } from "../../../../schema/resources/transaction.ts"
import { textsOf } from "../../text/i18n.ts"
import { Card } from "../../ui/page.tsx"
import { Moment, Money } from "../../ui/values.tsx"

const texts = textsOf({
  "pt-BR": {
    exceptions: "Pagamentos fora do esperado",
    late_payment: "Pago depois de expirar",
    double_payment: "Pago mais de uma vez",
    amount_mismatch: "Valor diferente do cobrado",
  },
  en: {
    exceptions: "Unexpected payments",
    late_payment: "Paid after it had expired",
    double_payment: "Paid more than once",
    amount_mismatch: "Another amount than was asked for",
  },
})

/** Payments that do not fit a charge: what they are, when they came and of how much. */
export const ExceptionsCard = ({ exceptions }: Pick<Transaction, "exceptions">) => (
  <Card title={texts.value.exceptions}>
    <ul class="lines">
      {exceptions.map(({ kind, end_to_end_id, amount, created_at }) => (
        <li key={`${kind} ${end_to_end_id}`} class="line">
          <span>
            {texts.value[kind]} <small class="second-line">{<Moment at={created_at} />}</small>
          </span>
          <Money amount={amount} />
        </li>
      ))}
    </ul>
  </Card>
)
