import { useRead } from "../../api/resource.ts"
import { Link } from "../../app/router.tsx"
import { formatCount, formatMoney } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"

const texts = textsOf({
  "pt-BR": {
    see: "Ver cliente",
    charges: (count: number, text: string, paid: string) =>
      `${text} ${count === 1 ? "cobrança" : "cobranças"}, ${paid} pagos`,
  },
  en: {
    see: "See customer",
    charges: (count: number, text: string, paid: string) =>
      `${text} ${count === 1 ? "charge" : "charges"}, ${paid} paid`,
  },
})

/** Leads from a charge to its customer, with what else that has paid; nothing where it was erased. */
export const ChargeCustomer = ({ id }: { readonly id: string }) => {
  const customer = useRead("GET /v1/me/transactions/:id/customer", { params: { id } }).value.value
  if (customer === undefined) return null
  const { charges, paid_amount } = customer
  return (
    <p data-testid="charge-customer">
      <Link to={`/customers/${customer.id}`}>{texts.value.see}</Link>{" "}
      <small class="second-line">
        {texts.value.charges(charges, formatCount(charges), formatMoney(paid_amount))}
      </small>
    </p>
  )
}
