import type { OperatorWithdrawal } from "../../../../schema/api/operatorWithdrawals.ts"
import { formLimits } from "../../../../schema/formLimits.ts"
import { actsOfKind } from "../../../../schema/names.ts"
import type { Exception } from "../../../../schema/resources/exception.ts"
import type { AuditEntry } from "../../../../schema/resources/operator.ts"
import { useRead, useResource } from "../../api/resource.ts"
import { user } from "../../api/session.ts"
import { Link } from "../../app/router.tsx"
import { formatMoney } from "../../text/format.ts"
import { statusText } from "../../text/statuses.ts"
import { Button } from "../../ui/button.tsx"
import { Card, Facts, isReady, Page, Shown } from "../../ui/page.tsx"
import { Code, Foreign, Moment, Money, Status } from "../../ui/values.tsx"
import { type Act, useAct } from "./acts.tsx"
import { actOn } from "./exceptionAct.tsx"
import { exceptionPageTexts as texts } from "./exceptionPageTexts.ts"
import { type Shown as ShownDetail, sidesOf } from "./exceptionSides.ts"
import { detailText, exceptionTexts, kindText } from "./exceptionTexts.ts"
import { isFreezing } from "./freezeBanner.tsx"
import { readOneWithdrawal } from "./ofSeller.ts"
import { ChargeLink, SellerLink } from "./parts.tsx"
import { useRefreshing } from "./refreshing.ts"
import { askedBy } from "./secondOperator.ts"

const Detail = ({ name, of: { kind, value } }: { readonly name: string; readonly of: ShownDetail }) => {
  if (kind === "amount") return <Money amount={value} />
  return name === "status" ? <Status status={value} /> : <Foreign>{value}</Foreign>
}

const detailsOf = (side: ReadonlyArray<readonly [name: string, value: ShownDetail]>) =>
  side.map(([name, value]) => [detailText(name), <Detail key={name} name={name} of={value} />] as const)

/** The withdrawal that an exception is about, as our books have it; undefined where it is about something else. */
const readWithdrawal = async (
  { resource_type, resource_id, seller_id, mode }: Exception,
  signal: AbortSignal,
): Promise<OperatorWithdrawal | undefined> =>
  resource_type !== "withdrawal" || seller_id === null || resource_id === null
    ? undefined
    : readOneWithdrawal({ sellerId: seller_id, mode, id: resource_id }, signal)

const Ours = ({ of: exception }: { readonly of: Exception }) => {
  const { resource_type, resource_id, seller_id } = exception
  const { value } = texts
  const withdrawal = useResource(`ours ${exception.id} ${exception.state}`, (signal) =>
    readWithdrawal(exception, signal),
  ).value.value
  if (resource_type === null) return <p class="muted">{value.nothingOurs}</p>
  return (
    <Facts
      of={[
        [value[resource_type], resource_id === null ? undefined : <ChargeLink id={resource_id} />],
        [value.seller, seller_id === null ? undefined : <SellerLink id={seller_id} />],
        ...detailsOf(sidesOf(exception).ours),
        [value.requested, withdrawal && <Money amount={withdrawal.amount} />],
        [value.now, withdrawal && <Status status={withdrawal.status} />],
        [value.key, withdrawal && <Foreign>{withdrawal.pix_key.value}</Foreign>],
        [value.completed, withdrawal && <Moment at={withdrawal.completed_at} />],
      ]}
    />
  )
}

const Resolution = ({ of: { act, reason, resolved_at, resolved_by } }: { readonly of: Exception }) => (
  <Card title={texts.value.resolution}>
    <Facts
      of={[
        [texts.value.act, act === null ? undefined : exceptionTexts.value.acts[act].name],
        [texts.value.reason, reason === null ? undefined : <Foreign>{reason}</Foreign>],
        [texts.value.when, <Moment key="when" at={resolved_at} />],
        [texts.value.by, resolved_by === null ? texts.value.byPartner : <Code>{resolved_by}</Code>],
      ]}
    />
  </Card>
)

/** That one operator asked for an act, and which. */
const Asked = ({ id, log }: { readonly id: string; readonly log: ReadonlyArray<AuditEntry> }) => {
  const newest = log.find(
    ({ action, resource_id }) => action === "exception.approval_asked" && resource_id === id,
  )
  if (newest === undefined) return null
  const by = askedBy(newest.action, id, [newest], user.value?.id)
  const { act, reason, seller_id, without_bank } = newest.details
  const acts: Readonly<Record<string, { readonly name: string }>> = exceptionTexts.value.acts
  return (
    <div class="warning" data-testid="second-operator" data-by={by}>
      <p>{by === "you" ? texts.value.secondYou : texts.value.secondOther}</p>
      <p>
        {texts.value.asked} <Moment at={newest.created_at} />:{" "}
        <strong>{acts[String(act)]?.name ?? String(act)}</strong>
        {typeof reason === "string" && (
          <>
            {" · "}
            <Foreign>{reason}</Foreign>
          </>
        )}
        {typeof seller_id === "string" && (
          <>
            {" · "}
            {texts.value.seller} <SellerLink id={seller_id} />
          </>
        )}
        {without_bank === true && ` · ${texts.value.withoutBank}`}
      </p>
    </div>
  )
}

interface OpenProps {
  readonly of: Exception
  readonly log: ReadonlyArray<AuditEntry>
  readonly ask: (act: Act) => void
}

const Open = ({ of: exception, log, ask }: OpenProps) => (
  <Card title={texts.value.acts}>
    <Asked id={exception.id} log={log} />
    <dl class="acts">
      {actsOfKind[exception.kind].map((act) => (
        <div key={act}>
          <dt>
            <Button
              data-testid="exception-act"
              data-act={act}
              kind={act === "fail" || act === "debit" ? "danger" : "plain"}
              onClick={() => ask(actOn(exception, act))}
            >
              {exceptionTexts.value.acts[act].name}
            </Button>
          </dt>
          <dd>{exceptionTexts.value.acts[act].consequence(formatMoney(exception.amount))}</dd>
        </div>
      ))}
    </dl>
  </Card>
)

/** What our books say of an exception beside what the acquirer's say, and its acts. */
export const ExceptionCase = ({ of: exception, log, ask }: OpenProps) => {
  const { value } = texts
  const { refund_failure } = exception.details
  return (
    <>
      <Card>
        <p>{exceptionTexts.value.kinds[exception.kind].meaning}</p>
        {isFreezing(exception) && <p class="warning">{value.freezing}</p>}
        {refund_failure != null && (
          <p class="warning">
            {value.refundFailed}: <Foreign>{String(refund_failure)}</Foreign>
          </p>
        )}
        <Facts
          of={[
            [value.state, <Status key="state" status={exception.state} testId="exception-state" />],
            [value.mode, value[exception.mode]],
            [value.acquirer, exception.acquirer],
            [value.recorded, <Moment key="recorded" at={exception.created_at} />],
            [value.id, <Code key="id">{exception.id}</Code>],
          ]}
        />
      </Card>
      <div class="sides two">
        <Card title={value.ours}>
          <Ours of={exception} />
        </Card>
        <Card title={value.theirs}>
          <Facts of={detailsOf(sidesOf(exception).theirs)} />
        </Card>
      </div>
      {exception.state === "open" ? (
        <Open of={exception} log={log} ask={ask} />
      ) : (
        <Resolution of={exception} />
      )}
    </>
  )
}

/** An exception: what our books say beside what the acquirer's say, and the acts of its kind. */
export const ExceptionPage = ({ id }: { readonly id: string }) => {
  const exception = useRead("GET /v1/admin/exceptions/:id", { params: { id } })
  const log = useRead("GET /v1/admin/audit", { query: { limit: formLimits.pageSizeMax } })
  useRefreshing(exception, log)
  const { ask, dialog } = useAct(() => Promise.all([exception.reload(), log.reload()]))
  const found = exception.value.value
  return (
    <Page
      title={found === undefined ? statusText("open") : kindText(found.kind)}
      ready={isReady(exception)}
      actions={<Link to="/admin/exceptions">{texts.value.back}</Link>}
    >
      <Shown of={exception}>
        {(value) => <ExceptionCase of={value} log={log.value.value?.data ?? []} ask={ask} />}
      </Shown>
      {dialog}
    </Page>
  )
}
