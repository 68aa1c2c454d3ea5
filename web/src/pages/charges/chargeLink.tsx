import { useRead } from "../../api/resource.ts"
import { Link } from "../../app/router.tsx"
import { textsOf } from "../../text/i18n.ts"
import { Foreign } from "../../ui/values.tsx"

const texts = textsOf({
  "pt-BR": { link: "Link de pagamento" },
  en: { link: "Payment link" },
})

/** The payment link that a charge was made through, by its title once that is read. */
export const ChargeLink = ({ id }: { readonly id: string }) => {
  const link = useRead("GET /v1/me/payment-links/:id", { params: { id } })
  return (
    <p data-testid="charge-link">
      <span class="muted">{texts.value.link}</span>{" "}
      <Link to={`/links/${id}`}>
        <Foreign>{link.value.value?.title ?? id}</Foreign>
      </Link>
    </p>
  )
}
