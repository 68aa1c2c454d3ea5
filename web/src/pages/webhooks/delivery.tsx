import "../../styles/webhooks.css"
import { useRead } from "../../api/resource.ts"
import { navigate, type PageParams } from "../../app/router.tsx"
import { eventName } from "../../text/eventNames.ts"
import { textsOf } from "../../text/i18n.ts"
import { isReady, Page, Shown } from "../../ui/page.tsx"
import { DeliveryView } from "./deliveryView.tsx"

const texts = textsOf({
  "pt-BR": { title: "Entrega" },
  en: { title: "Delivery" },
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
      back={
        endpoint === null
          ? { to: "/webhooks", name: "Webhooks" }
          : { to: `/webhooks/${endpoint}`, name: "Endpoint" }
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
