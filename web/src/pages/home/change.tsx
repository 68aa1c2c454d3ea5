import { formatPercent } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { Icon } from "../../ui/icons.tsx"
import { changeOf } from "./periods.ts"

const texts = textsOf({
  "pt-BR": { up: "alta de", down: "queda de", same: "igual" },
  en: { up: "up", down: "down", same: "the same" },
})

interface ChangeProps {
  readonly now: number
  readonly before: number
  /** Whether more is better. Default: false. */
  readonly isGoodUp?: boolean
  /** Whether it follows words in its line. Default: false. */
  readonly isAfterWords?: boolean
}

/** Beyond, a share says no more than that there was next to nothing before. */
const shownMax = 9.99

/** How much something grew or shrank, as a share; nothing where there was nothing before. */
export const Change = ({ now, before, isGoodUp = false, isAfterWords = false }: ChangeProps) => {
  const change = changeOf(now, before)
  if (change === undefined) return null
  // A share of less than half a percent is no news.
  const shown = Math.round(change * 100) / 100
  const isUp = shown > 0
  return (
    <>
      {isAfterWords && " · "}
      {shown === 0 ? (
        <span class="change">{texts.value.same}</span>
      ) : (
        <span class="change" data-tone={isUp === isGoodUp ? "good" : "bad"}>
          <Icon name={isUp ? "arrowUp" : "arrowDown"} />
          <span class="visually-hidden">{isUp ? texts.value.up : texts.value.down} </span>
          {shown > shownMax && "> "}
          {formatPercent(Math.min(Math.abs(shown), shownMax))}
        </span>
      )}
    </>
  )
}
