import { formLimits } from "../../../../schema/formLimits.ts"
import { useRead, useResource } from "../../api/resource.ts"
import { textsOf } from "../../text/i18n.ts"
import { Card, isReady, Page, Shown } from "../../ui/page.tsx"
import { Foreign } from "../../ui/values.tsx"
import { FreezeBanner } from "./freezeBanner.tsx"
import { Measures } from "./measures.tsx"
import "../../styles/admin.css"
import { type Check, checkError, type Ready, readReady } from "./readiness.ts"
import { useRefreshing } from "./refreshing.ts"

const texts = textsOf({
  "pt-BR": {
    title: "Saúde do serviço",
    checks: "Verificações deste processo",
    ok: "Bem",
    skipped: "Não se aplica",
    failing: "Com problema",
    names: {
      redis: "Redis responde",
      durability: "O que é confirmado está gravado",
      replicas: "Réplicas têm o que é confirmado",
      functions: "Funções no Redis são desta versão",
      streams: "Transmissões de eventos",
      scheduler: "Temporizadores e entregas em dia",
      load: "Carga",
      audit: "Última auditoria dos livros",
    } as Readonly<Record<string, string>>,
  },
  en: {
    title: "Health of the service",
    checks: "Checks of this process",
    ok: "Fine",
    skipped: "Not applicable",
    failing: "Failing",
    names: {
      redis: "Redis responds",
      durability: "What is confirmed is on disk",
      replicas: "Replicas have what is confirmed",
      functions: "Functions in Redis are this build's",
      streams: "Event streams",
      scheduler: "Timers and deliveries on time",
      load: "Load",
      audit: "Last audit of the books",
    } as Readonly<Record<string, string>>,
  },
})

const CheckLine = ({ name, of: check }: { readonly name: string; readonly of: Check }) => {
  const error = checkError(check)
  const { value } = texts
  return (
    <li data-testid="check" data-name={name} data-ok={error === undefined}>
      <span>{value.names[name] ?? name}</span>
      <span>
        {error !== undefined ? (
          <span class="status bad">{value.failing}</span>
        ) : check === "skipped" ? (
          <span class="status neutral">{value.skipped}</span>
        ) : (
          <span class="status good">{value.ok}</span>
        )}
      </span>
      {error !== undefined && <Foreign>{error}</Foreign>}
    </li>
  )
}

const Checks = ({ of: { checks } }: { readonly of: Ready }) => (
  <ul class="checks">
    {Object.entries(checks).map(([name, check]) => (
      <CheckLine key={name} name={name} of={check} />
    ))}
  </ul>
)

/** How the service is: the checks of `/ready`, and what operators measure. */
export default () => {
  const ready = useResource("ready", readReady)
  const exceptions = useRead("GET /v1/admin/exceptions", {
    query: { state: "open", limit: formLimits.pageSizeMax },
  })
  const measures = useRead("GET /v1/admin/health", {})
  useRefreshing(ready, exceptions, measures)
  const { value } = texts
  return (
    <Page title={value.title} ready={isReady(ready, exceptions, measures)}>
      <FreezeBanner payouts={measures.value.value?.payouts} exceptions={exceptions.value.value?.data ?? []} />
      <Card title={value.checks}>
        <Shown of={ready}>{(found) => <Checks of={found} />}</Shown>
      </Card>
      <Shown of={measures}>{(found) => <Measures of={found} />}</Shown>
    </Page>
  )
}
