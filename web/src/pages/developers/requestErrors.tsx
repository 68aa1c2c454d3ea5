import { useState } from "preact/hooks"
import { formLimits } from "../../../../schema/formLimits.ts"
import type { ApiKey } from "../../../../schema/resources/apiKey.ts"
import type { RequestError } from "../../../../schema/resources/requestError.ts"
import { useEvery } from "../../api/every.ts"
import { useRead } from "../../api/resource.ts"
import { textsOf } from "../../text/i18n.ts"
import { dayMillis } from "../../text/spans.ts"
import { Button } from "../../ui/button.tsx"
import { Empty } from "../../ui/feedback.tsx"
import { Card, Shown } from "../../ui/page.tsx"
import { Cell, Table, TableRow } from "../../ui/table.tsx"
import { Code, Foreign, When } from "../../ui/values.tsx"

const texts = textsOf({
  "pt-BR": {
    title: "Erros recentes da API",
    refresh: "Atualizar",
    none: `Nenhum erro nos últimos ${formLimits.requestLogKeptMillis / dayMillis} dias`,
    noneWhy: "Quando uma chamada for recusada, o motivo e o campo aparecem aqui.",
    at: "Quando",
    call: "Chamada",
    why: "Motivo",
    who: "Chave",
    request: "Id da chamada",
    session: "este painel",
    gone: "chave revogada",
    all: (count: number) => `Mostrar os ${count}`,
  },
  en: {
    title: "Recent API errors",
    refresh: "Refresh",
    none: `No errors in the last ${formLimits.requestLogKeptMillis / dayMillis} days`,
    noneWhy: "When a call is refused, the reason and the field appear here.",
    at: "When",
    call: "Call",
    why: "Reason",
    who: "Key",
    request: "Request id",
    session: "this dashboard",
    gone: "revoked key",
    all: (count: number) => `Show all ${count}`,
  },
})

/** More would push what newcomers look for out of sight. */
const shownFirst = 5

const refreshMillis = 10_000

/** Who asked: the name of a key that is still there, or what is known of it. */
const Asker = ({ of, keys }: { readonly of: RequestError; readonly keys: ReadonlyArray<ApiKey> }) => {
  if (of.api_key_id === null) return <span class="muted">{texts.value.session}</span>
  const key = keys.find(({ id }) => id === of.api_key_id)
  return key === undefined ? <span class="muted">{texts.value.gone}</span> : <Foreign>{key.name}</Foreign>
}

const ErrorRow = ({ of, keys }: { readonly of: RequestError; readonly keys: ReadonlyArray<ApiKey> }) => (
  <TableRow data-testid="request-error-row" data-id={of.request_id}>
    <Cell place="when" label={texts.value.at}>
      <When at={of.at} />
    </Cell>
    <Cell place="title" label={texts.value.call}>
      <div class="request-call">
        <strong>{of.status}</strong> <Code>{`${of.method} ${of.route}`}</Code>
      </div>
    </Cell>
    <Cell place="extra" label={texts.value.why}>
      <div class="request-why">
        <span>
          <strong>{of.code}</strong>
          {of.param !== null && (
            <>
              {" · "}
              <Code>{of.param}</Code>
            </>
          )}
        </span>
        <bdi class="muted" lang="en">
          {of.message}
        </bdi>
      </div>
    </Cell>
    <Cell place="extra" label={texts.value.who}>
      <Asker of={of} keys={keys} />
    </Cell>
    <Cell place="extra" label={texts.value.request}>
      <Code>{of.request_id}</Code>
    </Cell>
  </TableRow>
)

/** What was refused to the mode's keys lately, and why, so that whoever writes the calls need not search logs. */
export const RequestErrors = ({ keys }: { readonly keys: ReadonlyArray<ApiKey> }) => {
  const errors = useRead("GET /v1/me/request-errors", {})
  const [showsAll, setShowsAll] = useState(false)
  useEvery(refreshMillis, () => void errors.refresh())
  const { value } = texts
  return (
    <Card
      title={value.title}
      actions={
        <Button kind="quiet" onClick={errors.reload}>
          {value.refresh}
        </Button>
      }
    >
      <Shown of={errors}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title={value.none}>{value.noneWhy}</Empty>
          ) : (
            <>
              <Table
                label={value.title}
                columns={[value.at, value.call, value.why, value.who, value.request]}
              >
                {(showsAll ? data : data.slice(0, shownFirst)).map((error) => (
                  <ErrorRow key={error.request_id} of={error} keys={keys} />
                ))}
              </Table>
              {!showsAll && data.length > shownFirst && (
                <div class="more">
                  <Button onClick={() => setShowsAll(true)}>{value.all(data.length)}</Button>
                </div>
              )}
            </>
          )
        }
      </Shown>
    </Card>
  )
}
