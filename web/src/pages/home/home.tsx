import { mode } from "../../api/session.ts"
import { Link } from "../../app/router.tsx"
import { textsOf } from "../../text/i18n.ts"
import { isReady, Page } from "../../ui/page.tsx"
import { FailingEndpoints, useEndpoints } from "./failingEndpoints.tsx"
import { Steps, useSteps } from "./steps.tsx"
import { Ticker } from "./ticker.tsx"
import { Figures, TodayByHour, useBalance, useToday } from "./today.tsx"
import "../../styles/home.css"

const texts = textsOf({
  "pt-BR": { title: "Início", create: "Nova cobrança" },
  en: { title: "Home", create: "New charge" },
})

/** What a seller looks at first: money, today, what fails, and what happens now. */
export default () => {
  const balance = useBalance()
  const today = useToday()
  const endpoints = useEndpoints()
  const steps = useSteps(mode.value)
  return (
    <Page
      title={texts.value.title}
      ready={isReady(balance, today, steps)}
      actions={
        <Link to="/charges?create=1" class="button primary">
          {texts.value.create}
        </Link>
      }
    >
      <Steps of={steps} />
      <Figures balance={balance} today={today} />
      <TodayByHour of={today} />
      <div class="home-columns">
        <FailingEndpoints of={endpoints} />
        <Ticker />
      </div>
    </Page>
  )
}
