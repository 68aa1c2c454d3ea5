import { useState } from "preact/hooks"
import type { ApiKey } from "../../../../schema/resources/apiKey.ts"
import { chargeSnippets, type SnippetLanguage, snippetLanguages } from "../../../../schema/snippets.ts"
import { useRead } from "../../api/resource.ts"
import { mode } from "../../api/session.ts"
import { Link } from "../../app/router.tsx"
import "../../styles/developers.css"
import { prefix } from "../../prefix.ts"
import { textsOf } from "../../text/i18n.ts"
import { Button } from "../../ui/button.tsx"
import { Empty } from "../../ui/feedback.tsx"
import { Card, isReady, Page, Shown } from "../../ui/page.tsx"
import { Cell, Table, TableRow } from "../../ui/table.tsx"
import { Tabs } from "../../ui/tabs.tsx"
import { Code, Copy, Foreign, TrueWhen } from "../../ui/values.tsx"
import { type KeyAct, KeyDialog } from "./apiKeyDialogs.tsx"
import { commandsFor } from "./commands.ts"
import { KeyAccess } from "./keyAccess.tsx"
import { RequestLog } from "./requestLog.tsx"

const texts = textsOf({
  "pt-BR": {
    title: "Desenvolvedores",
    keys: "Chaves de API",
    create: "Criar chave",
    noKeys: "Nenhuma chave neste modo",
    noKeysWhy: "Crie uma para o seu sistema chamar a API. O segredo aparece uma única vez.",
    name: "Nome",
    begins: "Começa com",
    access: "Permissões",
    created: "Criada em",
    used: "Último uso",
    never: "nunca",
    ends: "Termina em",
    acts: "Ações",
    rotate: "Trocar",
    revoke: "Revogar",
    docs: "Documentação",
    reference: "Referência da API",
    referenceWhy: "todas as rotas, com busca e teste no navegador",
    catalog: "Catálogo de eventos",
    catalogWhy: "cada tipo, quando acontece e um exemplo",
    openapi: "OpenAPI 3.1",
    openapiWhy: "para gerar um cliente na sua linguagem",
    events: "Eventos desta conta",
    eventsWhy: "ao vivo, com o JSON de cada um",
    postback: "Segredo de postbacks",
    postbackWhy: "assina as notificações de postback_url",
    base: "Endereço da API",
    charge: "Primeira cobrança",
    chargeWhy: (mode: string) => `A chave, sk_${mode}_…, vem da variável de ambiente CORRENTE_API_KEY.`,
    languages: "Linguagem",
    follow: "Seguir os eventos",
    listen: "Webhooks na sua máquina",
    listenWhy: "A linha de comando traz os eventos até um endereço local, assinados, sem abrir portas.",
  },
  en: {
    title: "Developers",
    keys: "API keys",
    create: "Create key",
    noKeys: "No keys in this mode",
    noKeysWhy: "Create one for your system to call the API. Its secret is shown only once.",
    name: "Name",
    begins: "Begins with",
    access: "Access",
    created: "Created",
    used: "Last used",
    never: "never",
    ends: "Ends",
    acts: "Actions",
    rotate: "Rotate",
    revoke: "Revoke",
    docs: "Documentation",
    reference: "API reference",
    referenceWhy: "every route, to search and to try in the browser",
    catalog: "Event catalog",
    catalogWhy: "each type, when it happens, and an example",
    openapi: "OpenAPI 3.1",
    openapiWhy: "to generate a client in your language",
    events: "Events of this account",
    eventsWhy: "live, with the JSON of each",
    postback: "Postback secret",
    postbackWhy: "signs what is sent to postback_url",
    base: "Address of the API",
    charge: "First charge",
    chargeWhy: (mode: string) =>
      `The key, sk_${mode}_…, comes from the environment variable CORRENTE_API_KEY.`,
    languages: "Language",
    follow: "Follow the events",
    listen: "Webhooks on your machine",
    listenWhy: "The command line brings events to a local address, signed, without opening a port.",
  },
})

const KeyRow = ({ of: key, onAct }: { readonly of: ApiKey; readonly onAct: (act: KeyAct) => void }) => (
  <TableRow data-testid="api-key-row" data-id={key.id}>
    <Cell place="title" label={texts.value.name}>
      <Foreign>{key.name}</Foreign>
    </Cell>
    <Cell place="note" label={texts.value.begins}>
      <span class="key-prefix">
        <Code>{`${key.key_prefix}…`}</Code>
      </span>
    </Cell>
    <Cell place="extra" label={texts.value.access}>
      <KeyAccess of={key} />
    </Cell>
    <Cell place="when" label={texts.value.created}>
      <TrueWhen at={key.created_at} />
    </Cell>
    <Cell place="extra" label={texts.value.used}>
      {key.last_used_at === null ? (
        <span class="muted">{texts.value.never}</span>
      ) : (
        <div>
          <TrueWhen at={key.last_used_at} />
          {key.last_used_ip !== null && (
            <small class="second-line">
              <Code>{key.last_used_ip}</Code>
            </small>
          )}
        </div>
      )}
    </Cell>
    <Cell place="buttons" label={texts.value.acts}>
      <div class="key-acts">
        {key.revoke_at === null ? (
          <Button kind="quiet" needs={creating()} onClick={() => onAct({ kind: "rotate", key })}>
            {texts.value.rotate}
          </Button>
        ) : (
          <span class="key-ends">
            {texts.value.ends} <TrueWhen at={key.revoke_at} />
          </span>
        )}
        <Button
          kind="quiet"
          needs={creating()}
          class="key-revoke"
          onClick={() => onAct({ kind: "revoke", key })}
        >
          {texts.value.revoke}
        </Button>
      </div>
    </Cell>
  </TableRow>
)

const Snippet = ({
  title,
  text,
  why,
}: {
  readonly title: string
  readonly text: string
  readonly why?: string
}) => (
  <Card title={title} actions={<Copy text={text} />}>
    {why !== undefined && <p class="muted">{why}</p>}
    <pre class="snippet">{text}</pre>
  </Card>
)

/** Where the API is. */
const serviceUrl = location.origin + prefix

/** A first charge in one of some languages. */
const FirstCharge = () => {
  const [language, setLanguage] = useState<SnippetLanguage>("curl")
  const text = chargeSnippets(serviceUrl)[language]
  return (
    <Card title={texts.value.charge} actions={<Copy text={text} />}>
      <p class="muted">{texts.value.chargeWhy(mode.value)}</p>
      <Tabs label={texts.value.languages} tabs={snippetLanguages} chosen={language} onChoose={setLanguage}>
        <pre class="snippet">{text}</pre>
      </Tabs>
    </Card>
  )
}

const Documentation = () => {
  const { value } = texts
  const outside = [
    { href: `${prefix}/docs`, name: value.reference, why: value.referenceWhy },
    { href: `${prefix}/docs/events`, name: value.catalog, why: value.catalogWhy },
    { href: `${prefix}/openapi.json`, name: value.openapi, why: value.openapiWhy },
  ]
  const inside = [
    { to: "/events", name: value.events, why: value.eventsWhy },
    { to: "/webhooks", name: value.postback, why: value.postbackWhy },
  ]
  return (
    <Card title={value.docs}>
      <ul class="doc-links">
        {outside.map(({ href, name, why }) => (
          <li key={href}>
            <a href={href}>{name}</a> <span class="muted">{why}</span>
          </li>
        ))}
        {inside.map(({ to, name, why }) => (
          <li key={to}>
            <Link to={to}>{name}</Link> <span class="muted">{why}</span>
          </li>
        ))}
      </ul>
      <p class="base-url">
        {value.base}: <Code>{serviceUrl}</Code> <Copy text={serviceUrl} />
      </p>
    </Card>
  )
}

/** Keys of live mode are the owner's (docs/contract/api-keys.md#routes). */
const creating = () => (mode.value === "live" ? "owning" : "integrating")

/** API keys of the mode, and what is needed to make a first call. */
const Developers = () => {
  const keys = useRead("GET /v1/me/api-keys", {})
  const [act, setAct] = useState<KeyAct | undefined>(undefined)
  const { value } = texts
  const commands = commandsFor(serviceUrl)
  return (
    <Page title={value.title} ready={isReady(keys)}>
      <Card
        title={value.keys}
        actions={
          <Button
            kind="primary"
            needs={creating()}
            data-testid="api-key-create"
            onClick={() => setAct({ kind: "create" })}
          >
            {value.create}
          </Button>
        }
      >
        <Shown of={keys}>
          {({ data }) =>
            data.length === 0 ? (
              <Empty title={value.noKeys}>{value.noKeysWhy}</Empty>
            ) : (
              <Table
                label={value.keys}
                columns={[
                  value.name,
                  value.begins,
                  value.access,
                  value.created,
                  value.used,
                  { right: value.acts },
                ]}
              >
                {data.map((key) => (
                  <KeyRow key={key.id} of={key} onAct={setAct} />
                ))}
              </Table>
            )
          }
        </Shown>
      </Card>
      <RequestLog keys={keys.value.value?.data ?? []} />
      <Documentation />
      <FirstCharge />
      <Snippet title={value.follow} text={commands.follow} />
      <Snippet title={value.listen} text={commands.listen} why={value.listenWhy} />
      <KeyDialog act={act} setAct={setAct} onChanged={() => void keys.reload()} />
    </Page>
  )
}

export default Developers
