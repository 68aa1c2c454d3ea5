import { formLimits } from "../../../../schema/formLimits.ts"
import type { Delivery } from "../../../../schema/resources/delivery.ts"
import { formatCount, formatMoment } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { statusText } from "../../text/statuses.ts"
import { outcomeText } from "./attempts.ts"

const texts = textsOf({
  "pt-BR": {
    label: (all: string, good: string) => `Entregou ${good} das últimas ${all} tentativas`,
    sole: { good: "A única tentativa foi entregue", bad: "A única tentativa não foi entregue" },
    legend: "Cada barra é uma tentativa, da mais antiga à mais nova; a altura é o tempo até a resposta.",
  },
  en: {
    label: (all: string, good: string) => `Delivered ${good} of the last ${all} attempts`,
    sole: { good: "The only attempt was delivered", bad: "The only attempt was not delivered" },
    legend: "Each bar is an attempt, from the oldest to the newest; its height is the time until the answer.",
  },
})

const heightMax = 56
const heightMin = 6
const barWidth = 8
const slowestMillis = formLimits.attemptTimeoutMillis

/** The height of an attempt's bar: by the logarithm of its duration, full without an answer. */
const barHeight = (responseMillis: number | null): number => {
  if (responseMillis === null) return heightMax
  const share = Math.log10(1 + Math.min(responseMillis, slowestMillis)) / Math.log10(1 + slowestMillis)
  return Math.round(heightMin + share * (heightMax - heightMin))
}

const toneOf = ({ status }: Delivery) => (status === "success" ? "good" : "bad")

const labelOf = (all: number, good: number): string => {
  const { label, sole } = texts.value
  return all === 1 ? sole[good === 1 ? "good" : "bad"] : label(formatCount(all), formatCount(good))
}

/** The newest attempts as bars, coloured by how they ended. `of` is newest first. */
export const AttemptStrip = ({ of }: { readonly of: ReadonlyArray<Delivery> }) => {
  const good = of.filter(({ status }) => status === "success").length
  const label = labelOf(of.length, good)
  return (
    <figure class="attempt-strip">
      <figcaption>
        <strong>{label}</strong> <small class="second-line">{texts.value.legend}</small>
      </figcaption>
      <svg
        role="img"
        aria-label={label}
        viewBox={`0 0 ${Math.max(40, of.length) * barWidth} ${heightMax}`}
        preserveAspectRatio="none"
      >
        {of.toReversed().map((attempt, index) => {
          const height = barHeight(attempt.response_ms)
          return (
            <rect
              key={attempt.id}
              class={toneOf(attempt)}
              x={index * barWidth + 1}
              y={heightMax - height}
              width={barWidth - 2}
              height={height}
            >
              <title>
                {`${formatMoment(attempt.created_at)} · ${statusText(attempt.status)} · ${outcomeText(attempt)}`}
              </title>
            </rect>
          )
        })}
      </svg>
    </figure>
  )
}
