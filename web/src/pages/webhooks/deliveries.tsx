import "../../styles/webhooks.css"
import { useState } from "preact/hooks"
import { textsOf } from "../../text/i18n.ts"
import { Page } from "../../ui/page.tsx"
import { DeliveryList } from "./deliveryList.tsx"

const texts = textsOf({
  "pt-BR": { title: "Entregas a todos os destinos" },
  en: { title: "Deliveries to all destinations" },
})

/** What was sent to endpoints, postbacks and the tracker. */
export default () => {
  const [ready, setReady] = useState(false)
  return (
    <Page title={texts.value.title} ready={ready} back={{ to: "/webhooks", name: "Webhooks" }}>
      <DeliveryList onReady={() => setReady(true)} />
    </Page>
  )
}
