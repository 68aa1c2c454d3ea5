import "../../styles/webhooks.css"
import { useState } from "preact/hooks"
import type { NewEndpoint } from "../../../../schema/resources/endpoint.ts"
import { Link, query, setQuery } from "../../app/router.tsx"
import { textsOf } from "../../text/i18n.ts"
import { mayDo } from "../../text/roles.ts"
import { Button } from "../../ui/button.tsx"
import { Empty } from "../../ui/feedback.tsx"
import { useRowKeys } from "../../ui/keys.ts"
import { isReady, Page, Shown } from "../../ui/page.tsx"
import { useEndpoints } from "./destinations.ts"
import { EndpointCard } from "./endpointCard.tsx"
import { NewEndpointDialog } from "./endpointForm.tsx"
import { PostbackSecretCard } from "./postbackSecret.tsx"
import { SecretDialog } from "./secretDialog.tsx"
import { TrackerCard } from "./tracker.tsx"

const texts = textsOf({
  "pt-BR": {
    title: "Webhooks",
    create: "Novo endpoint",
    endpoints: "Endpoints",
    none: "Nenhum endpoint ainda",
    noneHint: "Um endpoint é um endereço seu que recebe os eventos: cobrança paga, saque concluído e outros.",
    deliveries: "Ver entregas a todos os destinos",
    others: "Outros destinos",
    secret: "Segredo do endpoint",
  },
  en: {
    title: "Webhooks",
    create: "New endpoint",
    endpoints: "Endpoints",
    none: "No endpoints yet",
    noneHint:
      "An endpoint is an address of yours that receives events: charge paid, withdrawal arrived and others.",
    deliveries: "See deliveries to all destinations",
    others: "Other destinations",
    secret: "Secret of the endpoint",
  },
})

/** Where events are delivered, and how well that goes. */
export default () => {
  useRowKeys()
  const [created, setCreated] = useState<NewEndpoint>()
  const endpoints = useEndpoints()
  const { value } = texts
  return (
    <Page
      title={value.title}
      ready={isReady(endpoints)}
      actions={
        <Button
          kind="primary"
          needs="integrating"
          data-testid="endpoint-create"
          onClick={() => setQuery({ create: "1" })}
        >
          {value.create}
        </Button>
      }
    >
      <Shown of={endpoints}>
        {({ data: list }) =>
          list.length === 0 ? (
            <Empty title={value.none}>{value.noneHint}</Empty>
          ) : (
            <ul class="endpoint-list" aria-label={value.endpoints}>
              {list.map((endpoint) => (
                <EndpointCard key={endpoint.id} of={endpoint} />
              ))}
            </ul>
          )
        }
      </Shown>
      {/* Not before: what arrives above would push it down. */}
      {isReady(endpoints) && (
        <>
          <p>
            <Link to="/deliveries" data-testid="all-deliveries">
              {value.deliveries}
            </Link>
          </p>
          <h2>{value.others}</h2>
          <TrackerCard />
          <PostbackSecretCard />
        </>
      )}
      {query.value.get("create") !== null && mayDo("integrating") && (
        <NewEndpointDialog
          onClose={() => setQuery({ create: undefined })}
          onCreated={(endpoint) => {
            setQuery({ create: undefined })
            setCreated(endpoint)
            void endpoints.reload()
          }}
        />
      )}
      {created !== undefined && (
        <SecretDialog title={value.secret} secret={created.secret} onDone={() => setCreated(undefined)} />
      )}
    </Page>
  )
}
