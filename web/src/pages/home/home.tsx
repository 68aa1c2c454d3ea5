import { mode } from "../../api/session.ts"
import { Link } from "../../app/router.tsx"
import { textsOf } from "../../text/i18n.ts"
import { isReady, Page } from "../../ui/page.tsx"
import { Skeleton } from "../../ui/skeleton.tsx"
import { Foreign } from "../../ui/values.tsx"
import { Measures, useCounters } from "./measures.tsx"
import { MoneyCard, useBalance, useLastPayout } from "./money.tsx"
import { Needs, useDisputes, useEndpoints } from "./needs.tsx"
import { ReceivedCard, shownPeriod, Today, useReceived, useReturned } from "./received.tsx"
import { Steps, useSeller, useSteps } from "./steps.tsx"
import { Ticker } from "./ticker.tsx"
import "../../styles/home.css"
import { mayDo } from "../../text/roles.ts"

const texts = textsOf({
  "pt-BR": { title: "Início", create: "Nova cobrança" },
  en: { title: "Home", create: "New charge" },
})

/** What a seller asks in the morning: what came in, what needs me, what can be withdrawn, and what happens now. */
export default () => {
  const period = shownPeriod()
  const received = useReceived(period)
  const balance = useBalance()
  const lastPayout = useLastPayout()
  const endpoints = useEndpoints()
  const counters = useCounters()
  const returned = useReturned(period)
  const disputes = useDisputes()
  const seller = useSeller()
  const steps = useSteps(mode.value)
  const knowsNeeds = isReady(endpoints, counters, disputes, steps, seller)
  const name = seller.value.value?.name
  return (
    <Page
      title={texts.value.title}
      ready={knowsNeeds && isReady(received, returned, balance, lastPayout)}
      actions={
        <>
          <span class="home-shop" data-testid="shop-name">
            {name !== undefined && <Foreign>{name}</Foreign>}
          </span>
          {mayDo("charging") && (
            <Link to="/charges?create=1" class="button primary">
              {texts.value.create}
            </Link>
          )}
        </>
      }
    >
      <Today of={received} period={period} />
      {knowsNeeds ? (
        <>
          <Needs endpoints={endpoints} disputes={disputes} counters={counters} />
          <Steps of={steps} seller={seller} />
        </>
      ) : (
        <div class="first-read">
          <Skeleton height={340} />
        </div>
      )}
      <div class="home-columns">
        <ReceivedCard of={received} period={period} />
        <MoneyCard balance={balance} lastPayout={lastPayout} />
      </div>
      <Measures received={received} counters={counters} returned={returned} />
      <Ticker />
    </Page>
  )
}
