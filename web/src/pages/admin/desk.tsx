import { formLimits } from "../../../../schema/formLimits.ts"
import { failureOf, type Resource, useRead, useResource } from "../../api/resource.ts"
import type { Page as ListPage } from "../../api/routes.ts"
import { Link } from "../../app/router.tsx"
import { failureText } from "../../text/failures.ts"
import { formatCount } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { Card, isReady, Page, Shown } from "../../ui/page.tsx"
import { FreezeBanner } from "./freezeBanner.tsx"
import "../../styles/admin.css"
import { checkError, readReady } from "./readiness.ts"
import { useRefreshing } from "./refreshing.ts"

const texts = textsOf({
  "pt-BR": {
    title: "Mesa de operação",
    waiting: "Esperando uma decisão",
    withdrawals: "Saques aguardando aprovação",
    toPay: "Saques a pagar no banco",
    exceptions: "Exceções abertas",
    kyc: "Cadastros em análise",
    pixKeys: "Chaves Pix em análise",
    broken: "Precisa de atenção",
    dead: "Falhas de entrega",
    notices: "Notificações não processadas",
    nothing: "Nada espera por você agora.",
    service: "Serviço",
    healthy: "Todas as verificações estão bem.",
    degraded: "Verificações com problema:",
    health: "Ver a saúde",
    invite: "Convidar vendedor",
    everything: "O serviço não respondeu",
    refreshes: "Atualiza sozinha a cada poucos segundos.",
  },
  en: {
    title: "Operators' desk",
    waiting: "Waiting for a decision",
    withdrawals: "Withdrawals awaiting approval",
    toPay: "Withdrawals to pay at the bank",
    exceptions: "Open exceptions",
    kyc: "Sellers in review",
    pixKeys: "Pix keys in review",
    broken: "Needs attention",
    dead: "Failed deliveries",
    notices: "Unprocessed notices",
    nothing: "Nothing waits for you right now.",
    service: "Service",
    healthy: "All checks are fine.",
    degraded: "Checks that fail:",
    health: "See the health page",
    invite: "Invite a seller",
    everything: "The service did not answer",
    refreshes: "Refreshes by itself every few seconds.",
  },
})

/** A list as far as the desk reads it. */
type Found = ListPage<unknown>

/** How many entries a list has, as far as they were read: `100+` where there are more. */
export const countText = ({ data, next_cursor }: Found): string =>
  formatCount(data.length) + (next_cursor === null ? "" : "+")

const limit = formLimits.pageSizeMax

const Count = ({
  name,
  label,
  to,
  of,
}: {
  readonly name: string
  readonly label: string
  readonly to: string
  readonly of: Pick<Resource<Found>, "value" | "error">
}) => {
  const found = of.value.value
  const error = of.error.value
  return (
    <Link to={to} class="count" data-testid={`count-${name}`}>
      <span class="count-value" data-count={found?.data.length} data-zero={found?.data.length === 0}>
        {found === undefined ? "–" : countText(found)}
      </span>
      <span>{label}</span>
      {error !== undefined && <small class="count-error">{failureText(failureOf(error))}</small>}
    </Link>
  )
}

const Service = ({ ready }: { readonly ready: Resource<Awaited<ReturnType<typeof readReady>>> }) => (
  <Card title={texts.value.service} actions={<Link to="/admin/health">{texts.value.health}</Link>}>
    <Shown of={ready}>
      {({ checks }) => {
        const failing = Object.keys(checks).filter((name) => checkError(checks[name]) !== undefined)
        return failing.length === 0 ? (
          <p>{texts.value.healthy}</p>
        ) : (
          <p class="bad-text">
            {texts.value.degraded} {failing.join(", ")}
          </p>
        )
      }}
    </Shown>
  </Card>
)

/** What waits for an operator, by count, and whether the service is well. */
export default () => {
  const ready = useResource("ready", readReady)
  const health = useRead("GET /v1/admin/health", {})
  const withdrawals = useRead("GET /v1/admin/withdrawals", { query: { limit } })
  const toPay = useRead("GET /v1/admin/withdrawals/to-pay", { query: { limit } })
  const exceptions = useRead("GET /v1/admin/exceptions", { query: { state: "open", limit } })
  const kyc = useRead("GET /v1/admin/sellers", { query: { kyc_status: "pending", limit } })
  const pixKeys = useRead("GET /v1/admin/pix-keys", { query: { limit } })
  const dead = useRead("GET /v1/admin/deliveries", { query: { status: "dead", limit } })
  const notices = useRead("GET /v1/admin/inbox", { query: { state: "unprocessed", limit } })
  const all = [ready, health, withdrawals, toPay, exceptions, kyc, pixKeys, dead, notices]
  useRefreshing(...all)
  const decisions = [withdrawals, toPay, exceptions, kyc, pixKeys]
  const isQuiet = decisions.every(({ value }) => value.value?.data.length === 0)
  return (
    <Page
      title={texts.value.title}
      ready={isReady(...all)}
      actions={
        <Link to="/admin/invites" class="button">
          {texts.value.invite}
        </Link>
      }
    >
      <FreezeBanner payouts={health.value.value?.payouts} exceptions={exceptions.value.value?.data ?? []} />
      <Card title={texts.value.waiting}>
        <div class="counts">
          <Count
            name="withdrawals"
            label={texts.value.withdrawals}
            to="/admin/withdrawals"
            of={withdrawals}
          />
          {(toPay.value.value?.data.length ?? 0) > 0 && (
            <Count name="to-pay" label={texts.value.toPay} to="/admin/to-pay" of={toPay} />
          )}
          <Count
            name="exceptions"
            label={texts.value.exceptions}
            to="/admin/exceptions?state=open"
            of={exceptions}
          />
          <Count name="kyc" label={texts.value.kyc} to="/admin/sellers?kyc_status=pending" of={kyc} />
          <Count name="pix-keys" label={texts.value.pixKeys} to="/admin/pix-keys" of={pixKeys} />
        </div>
        {isQuiet && <p class="muted">{texts.value.nothing}</p>}
      </Card>
      <Card title={texts.value.broken}>
        <div class="counts">
          <Count name="dead" label={texts.value.dead} to="/admin/deliveries" of={dead} />
          <Count
            name="notices"
            label={texts.value.notices}
            to="/admin/inbox?state=unprocessed"
            of={notices}
          />
        </div>
      </Card>
      <Service ready={ready} />
      <p class="muted">{texts.value.refreshes}</p>
    </Page>
  )
}
