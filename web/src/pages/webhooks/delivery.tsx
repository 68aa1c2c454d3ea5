import "../../styles/webhooks.css"
import { useRead } from "../../api/resource.ts"
import { Link, navigate, type PageParams } from "../../app/router.tsx"
import { eventName } from "../../text/eventNames.ts"
import { textsOf } from "../../text/i18n.ts"
import { isReady, Page, Shown } from "../../ui/page.tsx"
import { DeliveryView } from "./deliveryView.tsx"

const texts = textsOf({
  "pt-BR": { title: "Entrega", endpoint: "Ver endpoint", back: "Todos os webhooks" },
  en: { title: "Delivery", endpoint: "See endpoint", back: "All webhooks" },
})

const openAttempt = (id: string) => navigate(`/deliveries/${id}`)

/** One attempt as a page of its own. */
export default ({ params }: PageParams) => {
  const id = params.id ?? ""
  const delivery = useRead("GET /v1/me/webhook-deliveries/:id", { params: { id } })
  const shown = delivery.value.value
  const endpoint = shown?.endpoint_id ?? null
  return (
    <Page
      title={shown === undefined ? texts.value.title : eventName(shown.event_type)}
      ready={isReady(delivery)}
      actions={
        <Link to={endpoint === null ? "/webhooks" : `/webhooks/${endpoint}`} class="button">
          {endpoint === null ? texts.value.back : texts.value.endpoint}
        </Link>
      }
    >
      <Shown of={delivery}>
        {(of) => (
          <DeliveryView
            of={of}
            onAttempt={openAttempt}
            onRetried={(next) => next !== undefined && openAttempt(next)}
          />
        )}
      </Shown>
    </Page>
  )
}
