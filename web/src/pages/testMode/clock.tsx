import { useEffect, useState } from "preact/hooks"
import type { CorrenteError } from "../../../../client/src/errors.ts"
import { call } from "../../api/http.ts"
import { failureOf, type Resource } from "../../api/resource.ts"
import type { Answer } from "../../api/routes.ts"
import { formatCount, formatMoment } from "../../text/format.ts"
import { language, textsOf } from "../../text/i18n.ts"
import { aheadMillis } from "../../text/today.ts"
import { Button } from "../../ui/button.tsx"
import { FormError } from "../../ui/feedback.tsx"
import { notify } from "../../ui/notice.tsx"
import { Card, Shown } from "../../ui/page.tsx"
import { clockSteps, unitsOf } from "./time.ts"

const texts = textsOf({
  "pt-BR": {
    title: "Relógio de teste",
    why: "Avance o tempo deste vendedor no modo de teste. O que venceria até lá acontece agora: cobranças expiram, reservas são liberadas, entregas são tentadas de novo. O relógio não volta. Sessões, chaves, relatórios e a atividade da conta seguem o horário real.",
    none: "Igual ao tempo real",
    ahead: (duration: string) => `${duration} à frente do tempo real`,
    advance: "Avançar",
    done: (duration: string) => `O relógio avançou ${duration}.`,
  },
  en: {
    title: "Test clock",
    why: "Move this seller's test time forward. What would be due by then happens now: charges expire, reserves are released, deliveries are tried again. The clock does not go back. Sessions, keys, reports and the account's activity follow the true time.",
    none: "The same as the true time",
    ahead: (duration: string) => `${duration} ahead of the true time`,
    advance: "Advance",
    done: (duration: string) => `The clock has advanced ${duration}.`,
  },
})

const durationText = (seconds: number): string =>
  unitsOf(seconds)
    .map(({ unit, count }) =>
      new Intl.NumberFormat(language.value, { style: "unit", unit, unitDisplay: "long" }).format(count),
    )
    .join(" ") || formatCount(0)

const tickMillis = 1_000

/** The time of test mode, which goes on while it is shown. */
const Now = ({ at }: { readonly at: string }) => {
  const [shownSince] = useState(() => Date.now())
  const [, tick] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => tick((count) => count + 1), tickMillis)
    return () => clearInterval(timer)
  }, [])
  const now = new Date(Date.parse(at) + Math.max(0, Date.now() - shownSince)).toISOString()
  return (
    <time class="clock-now" data-testid="clock-now" data-now={now} dateTime={now}>
      {formatMoment(now)}
    </time>
  )
}

/** The seller's test time, and buttons that move it forward. */
export const Clock = ({ of }: { readonly of: Resource<Answer<"GET /v1/me/test/clock">> }) => {
  const [error, setError] = useState<CorrenteError>()
  const advance = async (seconds: number) => {
    setError(undefined)
    try {
      const { advanced_seconds } = await call("POST /v1/me/test/clock/advance", { body: { seconds } })
      aheadMillis.value += advanced_seconds * 1_000
      await of.reload()
      notify(texts.value.done(durationText(seconds)))
    } catch (cause) {
      setError(failureOf(cause))
    }
  }
  return (
    <Card title={texts.value.title}>
      <Shown of={of}>
        {({ now, advanced_seconds }) => (
          <div class="clock">
            <Now key={now} at={now} />
            <p class="muted">
              {advanced_seconds === 0 ? texts.value.none : texts.value.ahead(durationText(advanced_seconds))}
            </p>
            <p>{texts.value.why}</p>
            <fieldset class="acts" aria-label={texts.value.advance}>
              {clockSteps.map((seconds) => (
                <Button
                  key={seconds}
                  needs="integrating"
                  data-testid="clock-advance"
                  data-seconds={seconds}
                  onClick={() => advance(seconds)}
                >
                  + {durationText(seconds)}
                </Button>
              ))}
            </fieldset>
            <FormError error={error} />
          </div>
        )}
      </Shown>
    </Card>
  )
}
