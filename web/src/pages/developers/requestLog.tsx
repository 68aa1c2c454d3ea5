import { useRef, useState } from "preact/hooks"
import { formLimits } from "../../../../schema/formLimits.ts"
import type { ApiKey } from "../../../../schema/resources/apiKey.ts"
import type { LoggedRequest } from "../../../../schema/resources/loggedRequest.ts"
import { useEvery } from "../../api/every.ts"
import { useList } from "../../api/resource.ts"
import { query, queryChoice, setQuery } from "../../app/router.tsx"
import { formatCount } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { dayMillis } from "../../text/spans.ts"
import { Button } from "../../ui/button.tsx"
import { Empty } from "../../ui/feedback.tsx"
import { Select } from "../../ui/form.tsx"
import { Icon } from "../../ui/icons.tsx"
import { Card, Facts, More, NoneYet, Shown } from "../../ui/page.tsx"
import { Cell, Table, TableRow } from "../../ui/table.tsx"
import { Code, CopiedCode, Foreign, Moment } from "../../ui/values.tsx"

const keptDays = formLimits.requestLogKeptMillis / dayMillis

const texts = textsOf({
  "pt-BR": {
    title: "Requisições",
    refresh: "Atualizar",
    filters: "Filtros das requisições",
    none: `Nenhuma requisição nos últimos ${keptDays} dias`,
    noneWhy: "Quando o seu sistema chamar a API, cada requisição aparece aqui, com a resposta.",
    noneFiltered: "Nenhuma requisição com estes filtros",
    clear: "Limpar filtros",
    answer: "Resposta",
    answers: { all: "Todas", error: "Com erro", "2xx": "2xx", "4xx": "4xx", "5xx": "5xx" },
    call: "Requisição",
    key: "Chave",
    anyKey: "Todas",
    took: "Duração",
    at: "Quando",
    open: "Ver detalhes",
    session: "este painel",
    gone: "chave revogada",
    error: "Erro",
    param: "Campo",
    message: "Mensagem",
    id: "Id da requisição",
    idempotency: "Idempotency-Key",
    address: "Endereço IP",
  },
  en: {
    title: "Requests",
    refresh: "Refresh",
    filters: "Filters of requests",
    none: `No requests in the last ${keptDays} days`,
    noneWhy: "When your system calls the API, each request appears here with its answer.",
    noneFiltered: "No requests match these filters",
    clear: "Clear filters",
    answer: "Answer",
    answers: { all: "All", error: "Errors", "2xx": "2xx", "4xx": "4xx", "5xx": "5xx" },
    call: "Request",
    key: "Key",
    anyKey: "All",
    took: "Took",
    at: "When",
    open: "Show details",
    session: "this dashboard",
    gone: "revoked key",
    error: "Error",
    param: "Field",
    message: "Message",
    id: "Request id",
    idempotency: "Idempotency-Key",
    address: "IP address",
  },
})

const statuses = ["error", "2xx", "4xx", "5xx"] as const

/** More would push what newcomers look for out of sight. */
const pageSize = 10
const columnCount = 5

const refreshMillis = 10_000

type Keys = ReadonlyArray<ApiKey>

/** Who asked: the name of a key that is still there, or what is known of it. */
const Asker = ({ id, keys }: { readonly id: string | null; readonly keys: Keys }) => {
  if (id === null) return <span class="muted">{texts.value.session}</span>
  const key = keys.find((one) => one.id === id)
  return key === undefined ? <span class="muted">{texts.value.gone}</span> : <Foreign>{key.name}</Foreign>
}

/** As long as a choice may be, so that the widest one fits a phone. */
const choiceLengthMax = 28

const choiceText = (name: string): string => {
  const characters = [...name]
  return characters.length > choiceLengthMax ? `${characters.slice(0, choiceLengthMax - 1).join("")}…` : name
}

const toneOf = (status: number): string => (status < 400 ? "good" : status < 500 ? "waiting" : "bad")

const tookText = (millis: number): string => `${formatCount(millis)} ms`

const Details = ({ of, keys }: { readonly of: LoggedRequest; readonly keys: Keys }) => {
  const { value } = texts
  return (
    <tr class="request-details" data-testid="request-details">
      <td colSpan={columnCount}>
        <Facts
          of={[
            [value.error, of.error_code !== null && <Code>{of.error_code}</Code>],
            [value.param, of.error_param !== null && <Code>{of.error_param}</Code>],
            [value.message, of.error_message !== null && <bdi lang="en">{of.error_message}</bdi>],
            [value.id, <CopiedCode key="id">{of.id}</CopiedCode>],
            [value.idempotency, of.idempotency_key !== null && <Code>{of.idempotency_key}</Code>],
            [
              value.key,
              <span key="key">
                <Asker id={of.key_id} keys={keys} /> {of.key_id !== null && <Code>{of.key_id}</Code>}
              </span>,
            ],
            [value.address, of.ip_address !== null && <Code>{of.ip_address}</Code>],
            [value.at, <Moment key="at" at={of.at} />],
            [value.took, tookText(of.ms)],
          ]}
        />
      </td>
    </tr>
  )
}

const Row = ({ of, keys }: { readonly of: LoggedRequest; readonly keys: Keys }) => {
  const [isOpen, setOpen] = useState(false)
  const { value } = texts
  return (
    <>
      <TableRow data-testid="request-row" data-id={of.id} data-status={String(of.status)}>
        <Cell place="amount" label={value.answer} isRight={false}>
          <span class={`status ${toneOf(of.status)}`}>{of.status}</span>
        </Cell>
        <Cell place="title" label={value.call}>
          <button
            type="button"
            class="request-open"
            aria-expanded={isOpen}
            title={value.open}
            onClick={() => setOpen(!isOpen)}
          >
            <Code>{`${of.method} ${of.route}`}</Code> <Icon name={isOpen ? "up" : "down"} />
          </button>
          {of.error_code !== null && (
            <small class="second-line">
              {of.error_code}
              {of.error_param !== null && ` · ${of.error_param}`}
            </small>
          )}
        </Cell>
        <Cell place="note" label={value.key}>
          <Asker id={of.key_id} keys={keys} />
        </Cell>
        <Cell place="state" label={value.took} isRight>
          {tookText(of.ms)}
        </Cell>
        <Cell place="when" label={value.at}>
          <Moment at={of.at} />
        </Cell>
      </TableRow>
      {isOpen && <Details of={of} keys={keys} />}
    </>
  )
}

const readFilters = () => ({
  status: queryChoice("status", statuses),
  key_id: query.value.get("key_id") ?? undefined,
})

const Filters = ({ keys }: { readonly keys: Keys }) => {
  const { status, key_id } = readFilters()
  const { value } = texts
  return (
    <fieldset class="filters request-filters" aria-label={value.filters}>
      <Select
        label={value.answer}
        value={status ?? ""}
        data-testid="request-status-filter"
        onChange={(event) => setQuery({ status: event.currentTarget.value })}
      >
        <option value="">{value.answers.all}</option>
        {statuses.map((name) => (
          <option key={name} value={name}>
            {value.answers[name]}
          </option>
        ))}
      </Select>
      <Select
        label={value.key}
        value={key_id ?? ""}
        data-testid="request-key-filter"
        onChange={(event) => setQuery({ key_id: event.currentTarget.value })}
      >
        <option value="">{value.anyKey}</option>
        {keys.map(({ id, name }) => (
          <option key={id} value={id}>
            {choiceText(name)}
          </option>
        ))}
        {key_id !== undefined && !keys.some(({ id }) => id === key_id) && (
          <option value={key_id}>{value.gone}</option>
        )}
      </Select>
      {(status ?? key_id) !== undefined && (
        <Button kind="quiet" onClick={() => setQuery({ status: undefined, key_id: undefined })}>
          {value.clear}
        </Button>
      )}
    </fieldset>
  )
}

/** What the mode's keys asked for lately and how it was answered, so that whoever writes the calls need not search logs. */
export const RequestLog = ({ keys }: { readonly keys: Keys }) => {
  const filters = readFilters()
  const requests = useList("GET /v1/me/requests", { query: { ...filters, limit: pageSize } })
  useEvery(refreshMillis, () => void requests.refresh())
  const isFiltered = Object.values(filters).some((filter) => filter !== undefined)
  const hadRows = useRef(false)
  if ((requests.value.value?.data.length ?? 0) > 0) hadRows.current = true
  const { value } = texts
  return (
    <Card
      title={value.title}
      actions={
        <Button kind="quiet" onClick={requests.reload}>
          {value.refresh}
        </Button>
      }
    >
      {(isFiltered || hadRows.current) && <Filters keys={keys} />}
      <Shown of={requests}>
        {({ data, next_cursor }) =>
          data.length > 0 ? (
            <Table
              label={value.title}
              columns={[value.answer, value.call, value.key, { right: value.took }, value.at]}
            >
              {data.map((request) => (
                <Row key={`${request.at} ${request.id}`} of={request} keys={keys} />
              ))}
            </Table>
          ) : next_cursor !== null ? (
            <NoneYet />
          ) : isFiltered ? (
            <Empty title={value.noneFiltered} />
          ) : (
            <Empty title={value.none}>{value.noneWhy}</Empty>
          )
        }
      </Shown>
      <More of={requests} />
    </Card>
  )
}
