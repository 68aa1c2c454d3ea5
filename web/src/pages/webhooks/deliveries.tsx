import "../../styles/webhooks.css"
import { useState } from "preact/hooks"
import { Link } from "../../app/router.tsx"
import { textsOf } from "../../text/i18n.ts"
import { Page } from "../../ui/page.tsx"
import { DeliveryList } from "./deliveryList.tsx"

const texts = textsOf({
  "pt-BR": { title: "Entregas a todos os destinos", back: "Todos os webhooks" },
  en: { title: "Deliveries to all destinations", back: "All webhooks" },
})

/** What was sent to endpoints, postbacks and the tracker. */
export default () => {
  const [ready, setReady] = useState(false)
  return (
    <Page
      title={texts.value.title}
      ready={ready}
      actions={
        <Link to="/webhooks" class="button">
          {texts.value.back}
        </Link>
      }
    >
      <DeliveryList onReady={() => setReady(true)} />
    </Page>
  )
}
