import { useEffect, useRef } from "preact/hooks"
import type { Case, Queue } from "../../../../schema/api/queue.ts"
import { formLimits } from "../../../../schema/formLimits.ts"
import { failureOf, type Resource, useRead, useResource } from "../../api/resource.ts"
import type { Page as ListPage } from "../../api/routes.ts"
import { queueCounts } from "../../app/queueCounts.ts"
import { Link, query } from "../../app/router.tsx"
import { failureText } from "../../text/failures.ts"
import { formatCount } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { Empty } from "../../ui/feedback.tsx"
import { lazily } from "../../ui/lazily.tsx"
import { FirstRead, isReady, Page, Shown } from "../../ui/page.tsx"
import { Skeleton } from "../../ui/skeleton.tsx"
import { FreezeBanner } from "./freezeBanner.tsx"
import { MoneyStrip, useLatestClosing } from "./moneyStrip.tsx"
import { QueueList } from "./queueList.tsx"
import { checkError, readReady } from "./readiness.ts"
import { useRefreshing } from "./refreshing.ts"
import "../../styles/admin.css"
import "../../styles/desk.css"

const texts = textsOf({
  "pt-BR": {
    title: "Mesa de operação",
    waiting: "Esperando",
    withdrawals: "Saques",
    payouts: "A pagar no banco",
    exceptions: "Exceções",
    sellers: "Cadastros",
    pixKeys: "Chaves Pix",
    dead: "Falhas de entrega",
    notices: "Notificações não processadas",
    nothing: "Nada espera por você",
    nothingWhy: "Saques, exceções, cadastros e chaves Pix aparecem aqui, os mais urgentes primeiro.",
    more: (count: number) => `Os ${count} mais urgentes; as listas têm todos.`,
    healthy: "Todas as verificações do serviço estão bem.",
    degraded: "Verificações do serviço com problema:",
    health: "Ver a saúde",
    invite: "Convidar vendedor",
  },
  en: {
    title: "Operators' desk",
    waiting: "Waiting",
    withdrawals: "Withdrawals",
    payouts: "To pay at the bank",
    exceptions: "Exceptions",
    sellers: "Identifications",
    pixKeys: "Pix keys",
    dead: "Failed deliveries",
    notices: "Unprocessed notices",
    nothing: "Nothing waits for you",
    nothingWhy: "Withdrawals, exceptions, identifications and Pix keys appear here, the most urgent first.",
    more: (count: number) => `The ${count} most urgent; the lists have all.`,
    healthy: "All checks of the service are fine.",
    degraded: "Checks of the service that fail:",
    health: "See the health page",
    invite: "Invite a seller",
  },
})

/** A list as far as the desk reads it. */
type Found = ListPage<unknown>

/** How many entries a list has, as far as they were read: `100+` where there are more. */
export const countText = ({ data, next_cursor }: Found): string =>
  formatCount(data.length) + (next_cursor === null ? "" : "+")

interface CountProps {
  readonly name: string
  readonly label: string
  readonly to: string
  readonly count: number | undefined
  readonly text?: string | undefined
}

const Count = ({ name, label, to, count, text }: CountProps) => (
  <li>
    <Link to={to} class="count" data-testid={`count-${name}`}>
      <span class="count-value" data-count={count} data-zero={count === 0}>
        {count === undefined ? "–" : (text ?? formatCount(count))}
      </span>{" "}
      {label}
    </Link>
  </li>
)

const ListCount = ({
  of: { value },
  ...rest
}: Omit<CountProps, "count" | "text"> & { readonly of: Pick<Resource<Found>, "value"> }) => {
  const found = value.value
  return <Count {...rest} count={found?.data.length} text={found && countText(found)} />
}

interface CountsProps {
  readonly queue: Queue | undefined
  readonly dead: Pick<Resource<Found>, "value">
  readonly notices: Pick<Resource<Found>, "value">
}

/** How much waits, by kind, with the way to each list. */
const Counts = ({ queue, dead, notices }: CountsProps) => {
  const { value } = texts
  const counts = queue?.counts
  return (
    <nav aria-label={value.waiting}>
      <ul class="counts">
        <Count
          name="withdrawals"
          label={value.withdrawals}
          to="/admin/withdrawals"
          count={counts?.withdrawals}
        />
        {(counts?.payouts ?? 0) > 0 && (
          <Count name="to-pay" label={value.payouts} to="/admin/to-pay" count={counts?.payouts} />
        )}
        <Count
          name="exceptions"
          label={value.exceptions}
          to="/admin/exceptions?state=open"
          count={counts?.exceptions}
        />
        <Count
          name="kyc"
          label={value.sellers}
          to="/admin/sellers?kyc_status=pending"
          count={counts?.sellers}
        />
        <Count name="pix-keys" label={value.pixKeys} to="/admin/pix-keys" count={counts?.pix_keys} />
        <ListCount name="dead" label={value.dead} to="/admin/deliveries" of={dead} />
        <ListCount name="notices" label={value.notices} to="/admin/inbox?state=unprocessed" of={notices} />
      </ul>
    </nav>
  )
}

/**
 * The case that the address names, or else the first. It stays while more urgent ones arrive, so that nobody decides another than was
 * read; once it is gone, the one that took its place is shown.
 */
const useChosen = (cases: ReadonlyArray<Case>): Case | undefined => {
  const last = useRef<{ readonly id: string | undefined; readonly index: number }>({
    id: undefined,
    index: 0,
  })
  const indexOf = (wanted: string | null | undefined) => cases.findIndex(({ id }) => id === wanted)
  const found = [query.value.get("case"), last.current.id].map(indexOf).find((at) => at !== -1)
  const index = found ?? Math.min(last.current.index, cases.length - 1)
  const chosen = cases[index]
  useEffect(() => {
    last.current = { id: chosen?.id, index: Math.max(index, 0) }
  }, [chosen?.id, index])
  return chosen
}

/** It has the parts of four other pages. */
const LazyCasePanel = lazily(async () => (await import("./casePanel.tsx")).CasePanel, FirstRead)

const Cases = ({ of: queue, onDone }: { readonly of: Queue; readonly onDone: () => unknown }) => {
  const chosen = useChosen(queue.data)
  const { value } = texts
  if (chosen === undefined) return <Empty title={value.nothing}>{value.nothingWhy}</Empty>
  const waiting = Object.values(queue.counts).reduce((sum, count) => sum + count, 0)
  return (
    <div class="desk" data-open={query.value.has("case")}>
      <div class="desk-queue">
        <QueueList of={queue.data} chosen={chosen.id} />
        {waiting > queue.data.length && <p class="muted">{value.more(queue.data.length)}</p>}
      </div>
      <LazyCasePanel of={chosen} onDone={onDone} />
    </div>
  )
}

const Service = ({ ready }: { readonly ready: Resource<Awaited<ReturnType<typeof readReady>>> }) => {
  const error = ready.error.value
  const checks = ready.value.value?.checks
  if (checks === undefined)
    return error === undefined ? null : <p class="bad-text">{failureText(failureOf(error))}</p>
  const failing = Object.keys(checks).filter((name) => checkError(checks[name]) !== undefined)
  return (
    <p class={failing.length === 0 ? "muted" : "bad-text"}>
      {failing.length === 0 ? texts.value.healthy : `${texts.value.degraded} ${failing.join(", ")}.`}{" "}
      <Link to="/admin/health">{texts.value.health}</Link>
    </p>
  )
}

const limit = formLimits.pageSizeMax

/** One queue of all that waits for an operator, with what decides each case beside it, under the money that it is about. */
export default () => {
  const queue = useRead("GET /v1/admin/queue", {})
  const closing = useLatestClosing()
  const ready = useResource("ready", readReady)
  const health = useRead("GET /v1/admin/health", {})
  const freezing = useRead("GET /v1/admin/exceptions", { query: { state: "open", limit } })
  const dead = useRead("GET /v1/admin/deliveries", { query: { status: "dead", limit } })
  const notices = useRead("GET /v1/admin/inbox", { query: { state: "unprocessed", limit } })
  useRefreshing(queue, ready, health, freezing, dead, notices)
  const found = queue.value.value
  useEffect(() => {
    if (found !== undefined) queueCounts.value = found.counts
  }, [found])
  return (
    <Page
      title={texts.value.title}
      ready={isReady(queue, closing, ready, health, freezing, dead, notices)}
      actions={
        <Link to="/admin/invites" class="button">
          {texts.value.invite}
        </Link>
      }
    >
      <FreezeBanner payouts={health.value.value?.payouts} exceptions={freezing.value.value?.data ?? []} />
      <MoneyStrip queue={found} closing={closing} />
      <Counts queue={found} dead={dead} notices={notices} />
      <Shown of={queue} skeleton={<Skeleton rows={8} />}>
        {(value) => <Cases of={value} onDone={queue.reload} />}
      </Shown>
      <Service ready={ready} />
    </Page>
  )
}
