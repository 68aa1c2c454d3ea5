import type { Balance } from "../../../../schema/resources/ledger.ts"
import type { Withdrawal } from "../../../../schema/resources/withdrawal.ts"
import { chargeOf, type FeedEvent } from "../../api/live.ts"
import { type Resource, useRead } from "../../api/resource.ts"
import type { Page } from "../../api/routes.ts"
import { Link } from "../../app/router.tsx"
import { textsOf } from "../../text/i18n.ts"
import { mayDo } from "../../text/roles.ts"
import { Shown } from "../../ui/page.tsx"
import { Skeleton } from "../../ui/skeleton.tsx"
import { Money, When } from "../../ui/values.tsx"

const texts = textsOf({
  "pt-BR": {
    available: "Disponível agora",
    withdraw: "Sacar",
    reserve: "Cai nos próximos dias",
    lastPayout: "Último saque",
    requested: "solicitado",
    noPayout: "Nenhum ainda",
    balance: "Ver extrato",
  },
  en: {
    available: "Available now",
    withdraw: "Withdraw",
    reserve: "Arrives in the next days",
    lastPayout: "Last withdrawal",
    requested: "requested",
    noPayout: "None yet",
    balance: "See statement",
  },
})

/** Charges that begin, expire or fail move no money. */
const movesMoney = ({ type }: FeedEvent): boolean =>
  /^(?:refund|withdrawal|exception)\.|^transaction\.(?:paid|refunded|partially_refunded|chargeback|exception)/.test(
    type,
  )

/** The balance after a charge was paid; other events do not say what moved. */
const balanceWith = (shown: Balance, event: FeedEvent): Balance | undefined => {
  const charge = event.type === "transaction.paid" ? chargeOf(event) : undefined
  if (charge?.net_amount == null) return undefined
  const reserved = charge.reserve?.amount ?? 0
  return {
    ...shown,
    available: shown.available + charge.net_amount - reserved,
    reserve: shown.reserve + reserved,
  }
}

/** The seller's balance, live. */
export const useBalance = (): Resource<Balance> =>
  useRead("GET /v1/me/balance", {}, { reloadsOn: movesMoney, applies: balanceWith })

/** The withdrawal that arrived last. */
export const useLastPayout = (): Resource<Page<Withdrawal>> =>
  useRead(
    "GET /v1/me/withdrawals",
    { query: { limit: 1, status: "successful" } },
    { reloadsOn: ({ type }) => type === "withdrawal.successful" },
  )

interface MoneyCardProps {
  readonly balance: Resource<Balance>
  readonly lastPayout: Resource<Page<Withdrawal>>
}

/** What can be withdrawn now, what comes later, and what was withdrawn last. */
export const MoneyCard = ({ balance, lastPayout }: MoneyCardProps) => {
  const { value } = texts
  return (
    <section class="card home-money" aria-label={value.available}>
      <h2>{value.available}</h2>
      <div class="home-available">
        <Shown of={balance} skeleton={<Skeleton lines={1} />} keepsHeight>
          {({ available }) => (
            <p class="figure-value">
              <Money amount={available} testId="available" />
            </p>
          )}
        </Shown>
        {mayDo("payingOut") && (
          <Link to="/withdrawals?create=1" class="button">
            {value.withdraw}
          </Link>
        )}
      </div>
      <dl class="home-facts">
        <div>
          <dt>{value.reserve}</dt>
          <dd>
            <Shown of={balance} skeleton={<Skeleton lines={1} />} keepsHeight>
              {({ reserve }) => <Money amount={reserve} />}
            </Shown>
          </dd>
        </div>
        <div>
          <dt>{value.lastPayout}</dt>
          <dd>
            <Shown of={lastPayout} skeleton={<Skeleton lines={1} />} keepsHeight>
              {({ data: [last] }) =>
                last === undefined ? (
                  <span class="muted">{value.noPayout}</span>
                ) : (
                  <Link to={`/withdrawals/${last.id}`}>
                    <Money amount={last.amount} /> · {value.requested} <When at={last.created_at} />
                  </Link>
                )
              }
            </Shown>
          </dd>
        </div>
      </dl>
      <Link to="/balance">{value.balance}</Link>
    </section>
  )
}
