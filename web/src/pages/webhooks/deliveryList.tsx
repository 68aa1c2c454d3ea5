import { useEffect, useRef, useState } from "preact/hooks"
import type { CorrenteError } from "../../../../client/src/errors.ts"
import { formLimits } from "../../../../schema/formLimits.ts"
import type { Delivery } from "../../../../schema/resources/delivery.ts"
import type { Endpoint } from "../../../../schema/resources/endpoint.ts"
import { useEvery } from "../../api/every.ts"
import { failureOf, type List, useList } from "../../api/resource.ts"
import { Link, navigate, path, query } from "../../app/router.tsx"
import { eventName } from "../../text/eventNames.ts"
import { formatCount } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { Button } from "../../ui/button.tsx"
import { Empty, FormError } from "../../ui/feedback.tsx"
import { notify } from "../../ui/notice.tsx"
import { FirstRead, isReady, More, NoneYet, Shown } from "../../ui/page.tsx"
import { Cell, CheckBox, Table, TableRow } from "../../ui/table.tsx"
import { When } from "../../ui/values.tsx"
import { shortOutcomeText } from "./attempts.ts"
import { DeliveryFilterBar, readDeliveryFilters } from "./deliveryFilters.tsx"
import { DeliveryPanel } from "./deliveryPanel.tsx"
import { Address, AttemptDots, DeliveryStatus } from "./deliveryParts.tsx"
import { destinationOf, readEndpoints, useEndpoints } from "./destinations.ts"
import { type ResendProgress, resend } from "./resend.ts"
import { ResendDialog } from "./resendDialog.tsx"
import { codeOf, deliveriesOf, type EventDelivery, isResendable, narrowed, sendableTo } from "./rules.ts"

const texts = textsOf({
  "pt-BR": {
    label: "Entregas",
    event: "Evento",
    attempts: "Tentativas",
    state: "Situação",
    outcome: "Última resposta",
    when: "Quando",
    to: "Destino",
    select: "Marcar",
    choose: (name: string) => `Marcar ${name} para reenviar`,
    test: "teste",
    none: "Nenhuma entrega ainda",
    noneHint: "Envie um ping, ou espere pelo próximo evento.",
    noneFiltered: "Nenhuma entrega com estes filtros",
    target: { endpoint: "Endpoint", postback: "Postback", tracker: "Rastreador" },
    resendChosen: (count: string) => `Reenviar selecionadas (${count})`,
    resendAll: "Reenviar todas as que falharam",
    resendAllOf: (count: string) => `Reenviar todas as que falharam (${count})`,
    counting: "Contando as entregas…",
    sending: (done: string, all: string) => `Reenviando: ${done} de ${all}…`,
    queued: (count: string) =>
      count === "1"
        ? "1 nova tentativa na fila: o resultado aparece na lista."
        : `${count} novas tentativas na fila: os resultados aparecem na lista.`,
    skipped: (skipped: string) => `Já recebidas ou com tentativa marcada: ${skipped}.`,
  },
  en: {
    label: "Deliveries",
    event: "Event",
    attempts: "Attempts",
    state: "Status",
    outcome: "Last answer",
    when: "When",
    to: "Destination",
    select: "Select",
    choose: (name: string) => `Select ${name} to send it again`,
    test: "test",
    none: "No deliveries yet",
    noneHint: "Send a ping, or wait for the next event.",
    noneFiltered: "No deliveries match these filters",
    target: { endpoint: "Endpoint", postback: "Postback", tracker: "Tracker" },
    resendChosen: (count: string) => `Send the selected again (${count})`,
    resendAll: "Send all that failed again",
    resendAllOf: (count: string) => `Send all that failed again (${count})`,
    counting: "Counting the deliveries…",
    sending: (done: string, all: string) => `Sending again: ${done} of ${all}…`,
    queued: (count: string) =>
      count === "1"
        ? "1 new attempt queued: its result appears in the list."
        : `${count} new attempts queued: their results appear in the list.`,
    skipped: (skipped: string) => `Already received or scheduled: ${skipped}.`,
  },
})

/** Attempts are no events of the feed, so they are read again by the clock; more seldom where many are shown. */
const refreshMillis = 3_000
const longRefreshMillis = 30_000
const pageSize = formLimits.pageSizeMax
/** Pages that are read by themselves to find what the API has no filter for, and to send again all that failed. */
const pagesMax = 10
const rowsMin = 10
/** From this width on a delivery opens beside the list. */
const panelWidth = "(min-width: 1100px)"

/** A deliveries' list with what narrows it, from the address. */
const useDeliveries = (endpointId: string | undefined) => {
  const { state, code, type, from, to } = readDeliveryFilters()
  const list = useList("GET /v1/me/webhook-deliveries", {
    query: {
      endpoint_id: endpointId,
      event_type: type,
      // What failed may have been received since, which the attempts of this status alone do not tell.
      status: state === "received" ? "success" : undefined,
      ...{ from, to, limit: pageSize },
    },
  })
  const shown = list.value.value
  const all = deliveriesOf(shown?.data ?? [])
  const rows = narrowed(all, { state, code })
  const isLong = (shown?.data.length ?? 0) > 2 * pageSize
  useEvery(isLong ? longRefreshMillis : refreshMillis, list.refresh)
  const pagesRead = useRef(1)
  const isReadingOn = useRef(false)
  useEffect(() => {
    pagesRead.current = 1
  }, [list])
  useEffect(() => {
    const isSought = (state !== undefined || code !== undefined) && rows.length < rowsMin
    if (!isSought || shown?.next_cursor == null || pagesRead.current >= pagesMax) return
    // What is shown may be read again meanwhile, which is no further page.
    if (isReadingOn.current) return
    isReadingOn.current = true
    void list.more().then(() => {
      isReadingOn.current = false
      pagesRead.current += 1
    })
  }, [shown])
  const isFiltered = [state, code, type, from, to].some((filter) => filter !== undefined)
  return { list, rows, codes: all.map(codeOf), isFiltered }
}

/** Opens a delivery beside the list where there is room; else its link leads to its page. */
const openBeside = (id: string) => (event: MouseEvent) => {
  const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
  if (!isPlain || !matchMedia(panelWidth).matches) return
  event.preventDefault()
  const parameters = new URLSearchParams(query.peek())
  parameters.set("delivery", id)
  navigate(`${path.peek()}?${parameters}`)
}

interface RowProps {
  readonly of: EventDelivery
  /** Where it went; undefined where all rows have the same destination. */
  readonly destination: string | undefined
  /** Undefined where it cannot be chosen. */
  readonly isChosen: boolean | undefined
  readonly onChoose: (isChosen: boolean) => void
}

const Row = ({ of, destination, isChosen, onChoose }: RowProps) => {
  const { value } = texts
  const { newest } = of
  const name = eventName(newest.event_type)
  return (
    <TableRow data-testid="delivery-row" data-id={newest.id} data-status={newest.status} opens>
      <Cell place="wide">
        {isChosen !== undefined && (
          <CheckBox
            label={value.choose(name)}
            isChecked={isChosen}
            testId="delivery-check"
            onCheck={onChoose}
          />
        )}
      </Cell>
      <Cell place="title" label={value.event}>
        <Link
          to={`/deliveries/${newest.id}`}
          aria-current={query.value.get("delivery") === newest.id ? "page" : undefined}
          onClick={openBeside(newest.id)}
        >
          {name}
        </Link>{" "}
        {newest.test_event && <small class="muted">({value.test})</small>}
        <small class="second-line">{newest.event_type}</small>
      </Cell>
      {destination !== undefined && (
        <Cell place="wide" label={value.to}>
          {value.target[newest.target]}
          <small class="second-line">
            <Address>{destination}</Address>
          </small>
        </Cell>
      )}
      <Cell place="amount" label={value.attempts} isRight={false}>
        <AttemptDots of={of} />
      </Cell>
      <Cell place="state" label={value.state}>
        <DeliveryStatus newest={newest} />
      </Cell>
      <Cell place="note" label={value.outcome}>
        {shortOutcomeText(newest)}
      </Cell>
      <Cell place="when" label={value.when}>
        <When at={newest.created_at} />
      </Cell>
    </TableRow>
  )
}

/** Reads on to the end of a list, or for as many pages as are read by themselves. */
const readAll = async (list: List<Delivery>): Promise<ReadonlyArray<Delivery>> => {
  for (let pages = 1; pages < pagesMax && list.value.peek()?.next_cursor != null; pages++) {
    await list.more()
    if (list.moreError.peek() !== undefined) break
  }
  return list.value.peek()?.data ?? []
}

interface ResendBarProps {
  readonly list: List<Delivery>
  readonly failed: ReadonlyArray<EventDelivery>
  readonly chosen: ReadonlySet<string>
  readonly onDone: () => void
}

/** What is asked about before it is sent again. */
interface Asked {
  readonly of: ReadonlyArray<EventDelivery>
  readonly endpoints: ReadonlyArray<Endpoint>
  readonly hasOlder: boolean
}

/** More than this many that were chosen are not sent without a question. */
const unaskedMax = 10

/** What sends deliveries again, with how far that is, and how it failed. */
const useResending = (onDone: () => Promise<void>) => {
  const [progress, setProgress] = useState<ResendProgress & { readonly all: number }>()
  const [error, setError] = useState<CorrenteError>()
  const leaving = useRef(new AbortController())
  useEffect(() => () => leaving.current.abort(), [])
  const send = async (deliveries: ReadonlyArray<EventDelivery>) => {
    leaving.current = new AbortController()
    const all = deliveries.length
    setProgress({ sent: 0, skipped: 0, all })
    try {
      // The oldest first, as their events were.
      const ids = deliveries.map(({ newest }) => newest.id).reverse()
      const { sent, skipped } = await resend(
        ids,
        (done) => setProgress({ ...done, all }),
        leaving.current.signal,
      )
      const { value } = texts
      const words = [
        ...(sent > 0 ? [value.queued(formatCount(sent))] : []),
        ...(skipped > 0 ? [value.skipped(formatCount(skipped))] : []),
      ]
      notify(words.join(" "))
    } catch (cause) {
      setError(failureOf(cause))
    }
    setProgress(undefined)
    await onDone()
  }
  return { progress, error, setError, send }
}

/** The buttons that send again what is chosen, or all that failed of what the filters show, and how far that is. */
const ResendBar = ({ list, failed, chosen, onDone }: ResendBarProps) => {
  const [asked, setAsked] = useState<Asked>()
  const [isCounting, setCounting] = useState(false)
  const { progress, error, setError, send } = useResending(async () => {
    onDone()
    await list.reload()
  })
  const { value } = texts
  /** Asks about deliveries, unless they are few and can all be sent. The endpoints are read anew: one may be disabled since. */
  const ask = async (deliveries: ReadonlyArray<EventDelivery>, { isAll }: { readonly isAll: boolean }) => {
    const endpoints = await readEndpoints()
    const isPlain = sendableTo(deliveries, endpoints).sendable.length === deliveries.length
    if (!isAll && isPlain && deliveries.length <= unaskedMax) return void send(deliveries)
    setAsked({ of: deliveries, endpoints, hasOlder: isAll && list.value.peek()?.next_cursor != null })
  }
  const attempt = async (act: () => Promise<void>) => {
    setError(undefined)
    setCounting(true)
    try {
      await act()
    } catch (cause) {
      setError(failureOf(cause))
    }
    setCounting(false)
  }
  const askAll = async () => {
    const { state, code } = readDeliveryFilters()
    const all = narrowed(deliveriesOf(await readAll(list)), { state, code })
    await ask(all.filter(isResendable), { isAll: true })
  }
  // Of a list that goes on, pressing it counts them first.
  const isWhole = list.value.value?.next_cursor == null
  const selected = failed.filter(({ key }) => chosen.has(key))
  const said =
    progress === undefined
      ? isCounting && value.counting
      : value.sending(formatCount(progress.sent + progress.skipped), formatCount(progress.all))
  if (said !== false) {
    return (
      <div class="webhook-acts">
        <span role="status">{said}</span>
      </div>
    )
  }
  return (
    <>
      {failed.length > 0 && (
        <div class="webhook-acts">
          {selected.length > 0 && (
            <Button
              kind="primary"
              needs="integrating"
              data-testid="resend-chosen"
              onClick={() => void attempt(() => ask(selected, { isAll: false }))}
            >
              {value.resendChosen(formatCount(selected.length))}
            </Button>
          )}
          <Button needs="integrating" data-testid="resend-all" onClick={() => void attempt(askAll)}>
            {isWhole ? value.resendAllOf(formatCount(failed.length)) : value.resendAll}
          </Button>
        </div>
      )}
      <FormError error={error} />
      {asked !== undefined && (
        <ResendDialog
          {...asked}
          onClose={() => setAsked(undefined)}
          onSend={(deliveries) => {
            setAsked(undefined)
            void send(deliveries)
          }}
        />
      )}
    </>
  )
}

const Rows = (props: {
  readonly rows: ReadonlyArray<EventDelivery>
  readonly endpoints: ReadonlyArray<Endpoint> | undefined
  readonly showsTarget: boolean
  readonly isSendable: boolean
  readonly chosen: ReadonlySet<string>
  readonly onChoose: (key: string, isChosen: boolean) => void
}) => {
  const { rows, endpoints, showsTarget, isSendable, chosen, onChoose } = props
  const { value } = texts
  return (
    <Table
      label={value.label}
      columns={[
        value.select,
        value.event,
        ...(showsTarget ? [value.to] : []),
        value.attempts,
        value.state,
        value.outcome,
        value.when,
      ]}
    >
      {rows.map((delivery) => (
        <Row
          key={delivery.key}
          of={delivery}
          destination={showsTarget ? destinationOf(delivery.newest, endpoints) : undefined}
          isChosen={isSendable && isResendable(delivery) ? chosen.has(delivery.key) : undefined}
          onChoose={(isChosen) => onChoose(delivery.key, isChosen)}
        />
      ))}
    </Table>
  )
}

interface DeliveryListProps {
  /** Undefined: the deliveries to all destinations. */
  readonly endpointId?: string
  /** Whether its endpoint takes deliveries now. Default: true. */
  readonly isSendable?: boolean
  /** Told when the first are shown. */
  readonly onReady?: () => void
}

/** Deliveries, a row an event: filtered by the address, sent again one by one or many at once, and opened beside the list. */
export const DeliveryList = ({ endpointId, isSendable = true, onReady }: DeliveryListProps) => {
  const { list, rows, codes, isFiltered } = useDeliveries(endpointId)
  const [chosen, choose] = useState<ReadonlySet<string>>(new Set())
  const { value } = texts
  const endpoints = useEndpoints()
  // Not before both are there: paths would widen their column.
  const isShown = isReady(list, endpoints)
  useEffect(() => {
    if (isShown) onReady?.()
  }, [isShown])
  const onChoose = (key: string, isChosen: boolean) => {
    const next = new Set(chosen)
    if (isChosen) next.add(key)
    else next.delete(key)
    choose(next)
  }
  return (
    <section class="list deliveries" aria-label={value.label}>
      <DeliveryFilterBar codes={codes} />
      {isSendable && (
        <ResendBar
          list={list}
          failed={rows.filter(isResendable)}
          chosen={chosen}
          onDone={() => choose(new Set())}
        />
      )}
      <Shown of={list}>
        {({ next_cursor }) =>
          !isShown ? (
            <FirstRead />
          ) : rows.length > 0 ? (
            <Rows
              {...{ rows, isSendable, chosen, onChoose }}
              endpoints={endpoints.value.value?.data}
              showsTarget={endpointId === undefined}
            />
          ) : next_cursor !== null ? (
            <NoneYet />
          ) : isFiltered ? (
            <Empty title={value.noneFiltered} />
          ) : (
            <Empty title={value.none}>{value.noneHint}</Empty>
          )
        }
      </Shown>
      <More of={list} />
      <DeliveryPanel ids={rows.map(({ newest }) => newest.id)} onRetried={list.reload} />
    </section>
  )
}
