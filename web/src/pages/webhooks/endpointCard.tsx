import type { Endpoint } from "../../../../schema/resources/endpoint.ts"
import { Link } from "../../app/router.tsx"
import { formatCount } from "../../text/format.ts"
import { language, textsOf } from "../../text/i18n.ts"
import { Foreign } from "../../ui/values.tsx"
import { shareText } from "./attempts.ts"
import { eventsText, nameOf, placeOf, statusOf } from "./endpointFacts.ts"
import { type Day, HourStrip, useDay } from "./hourStrip.tsx"

const texts = textsOf({
  "pt-BR": {
    failures: (count: string) => (count === "1" ? "1 falha em 24 h" : `${count} falhas em 24 h`),
    good: "sem falhas em 24 h",
    none: "Sem entregas em 24 h",
    unknown: "indisponível",
    auto: "Desativado por falhas seguidas",
    manual: "Desativado por você",
    fix: "Corrigir",
    fixWhat: (name: string) => `Corrigir ${name}`,
  },
  en: {
    failures: (count: string) => (count === "1" ? "1 failure in 24 h" : `${count} failures in 24 h`),
    good: "no failures in 24 h",
    none: "No deliveries in 24 h",
    unknown: "not available",
    auto: "Disabled after repeated failures",
    manual: "Disabled by you",
    fix: "Fix",
    fixWhat: (name: string) => `Fix ${name}`,
  },
})

/** Below this share of received attempts an endpoint asks to be looked at. */
const shareMin = 0.9

const Health = ({ of, day }: { readonly of: Endpoint; readonly day: Day | undefined }) => {
  const { value } = texts
  if (day === undefined) return <span class="muted">…</span>
  const { share, failures } = day
  const isBad = share !== undefined && share < shareMin
  return (
    <>
      {of.disabled_reason !== null && <span class="bad">{value[of.disabled_reason]}</span>}
      {of.disabled_reason !== null && share !== undefined && " · "}
      {share !== undefined ? (
        <span class={isBad ? "bad" : undefined}>
          <strong>{shareText(share, language.value)}</strong> ·{" "}
          {failures === 0 ? value.good : value.failures(formatCount(failures))}
        </span>
      ) : (
        of.enabled && <span class="muted">{value.none}</span>
      )}
    </>
  )
}

/** One endpoint of the list: what it is called, how it does, and what leads to its repair where it needs one. */
export const EndpointCard = ({ of }: { readonly of: Endpoint }) => {
  const day = useDay(of.id)
  const shown = day.value.value
  const { value } = texts
  const name = nameOf(of)
  const isFailing = shown?.share !== undefined && shown.share < shareMin
  const isBroken = of.enabled ? isFailing : of.disabled_reason === "auto"
  return (
    <li
      class="endpoint-card"
      data-testid="endpoint-row"
      data-id={of.id}
      data-status={statusOf(of)}
      data-opens
    >
      <div class="endpoint-name">
        <h2>
          <Link to={`/webhooks/${of.id}`}>
            <Foreign>{name}</Foreign>
          </Link>
        </h2>
        <p class="muted">{of.description ? <Foreign>{placeOf(of.url)}</Foreign> : eventsText(of)}</p>
      </div>
      <p class="endpoint-health">
        {day.error.value !== undefined && shown === undefined ? (
          <span class="muted">{value.unknown}</span>
        ) : (
          <Health of={of} day={shown} />
        )}
      </p>
      <HourStrip of={shown} />
      <div class="endpoint-fix">
        {isBroken && (
          <Link
            to={of.enabled ? `/webhooks/${of.id}?tab=deliveries&state=failed` : `/webhooks/${of.id}`}
            class="button"
            aria-label={value.fixWhat(name)}
          >
            {value.fix}
          </Link>
        )}
      </div>
    </li>
  )
}
