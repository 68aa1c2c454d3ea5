import { useRead } from "../../api/resource.ts"
import { chooseMode, mode } from "../../api/session.ts"
import { textsOf } from "../../text/i18n.ts"
import { Button } from "../../ui/button.tsx"
import { Empty } from "../../ui/feedback.tsx"
import { isReady, Page } from "../../ui/page.tsx"
import { AmountEndings } from "./amountEndings.tsx"
import { Clock } from "./clock.tsx"
import "../../styles/testMode.css"

const texts = textsOf({
  "pt-BR": {
    title: "Modo de teste",
    live: "Você está em produção",
    liveHint: "O relógio e os valores de teste só existem no modo de teste.",
    change: "Mudar para o modo de teste",
  },
  en: {
    title: "Test mode",
    live: "You are in live mode",
    liveHint: "The clock and the test amounts exist in test mode alone.",
    change: "Change to test mode",
  },
})

const OfTest = () => {
  const clock = useRead("GET /v1/me/test/clock", {})
  return (
    <Page title={texts.value.title} ready={isReady(clock)}>
      <Clock of={clock} />
      <AmountEndings />
    </Page>
  )
}

/** The clock of test mode, and what test amounts do. */
export default () =>
  mode.value === "test" ? (
    <OfTest />
  ) : (
    <Page title={texts.value.title} ready>
      <Empty title={texts.value.live}>{texts.value.liveHint}</Empty>
      <div class="centered">
        <Button onClick={() => chooseMode("test")}>{texts.value.change}</Button>
      </div>
    </Page>
  )
