import { useState } from "preact/hooks"
import { formatMoment, formatMoney, formatWhen } from "../text/format.ts"
import { statusText, statusTone } from "../text/statuses.ts"
import { today, trueToday } from "../text/today.ts"
import { Button } from "./button.tsx"
import { Icon } from "./icons.tsx"
import { uiTexts } from "./texts.ts"

interface MoneyProps {
  readonly amount: number
  /** Whether it says what came in, with a plus and in green, or went out. Default: false. */
  readonly isSigned?: boolean
  readonly testId?: string | undefined
}

/** Centavos as money; `data-amount` has the integer. */
export const Money = ({ amount, isSigned = false, testId }: MoneyProps) => {
  const isIncome = isSigned && amount > 0
  return (
    <span class={isIncome ? "money income" : "money"} data-amount={amount} data-testid={testId}>
      {isIncome && "+"}
      {formatMoney(amount)}
    </span>
  )
}

/** A date-time of the API in full, as pages of one thing show it. */
export const Moment = ({ at }: { readonly at: string | null }) =>
  at === null ? <span class="muted">—</span> : <time dateTime={at}>{formatMoment(at)}</time>

interface SeenProps {
  readonly at: string | null
  /** The day that it is told from. */
  readonly from: string
}

const Seen = ({ at, from }: SeenProps) =>
  at === null ? (
    <span class="muted never">—</span>
  ) : (
    <time class="moment" dateTime={at}>
      <span aria-hidden="true">{formatWhen(at, from)}</span>
      <span class="moment-full">{formatMoment(at)}</span>
    </time>
  )

/**
 * A date-time of the API as lists show it: `hoje 04:55`. The full one stands over it for whoever points at it or is in its row by
 * keyboard, and is what screen readers read. In test mode its day is the test clock's; {@link TrueWhen} is for times that are not.
 */
export const When = ({ at }: { readonly at: string | null }) => <Seen at={at} from={today.value} />

/** {@link When} for true times, which no test clock moves: sessions, passkeys, keys, people, settings. */
export const TrueWhen = ({ at }: { readonly at: string | null }) => <Seen at={at} from={trueToday.value} />

/** A status in words; `data-status` has the API's own value. */
export const Status = ({
  status,
  word = statusText(status),
  testId,
}: {
  readonly status: string
  /** The status as it is called of this resource. Default: as it is of most. */
  readonly word?: string
  readonly testId?: string | undefined
}) => (
  <span class={`status ${statusTone(status)}`} data-status={status} data-testid={testId}>
    {word}
  </span>
)

const copiedMillis = 2_000

/** Copies text. Browsers have a clipboard for scripts on https and localhost only; elsewhere a selection is copied. */
export const copyText = async (text: string): Promise<void> => {
  const clipboard: Clipboard | undefined = navigator.clipboard
  if (clipboard !== undefined) return clipboard.writeText(text)
  const area = document.createElement("textarea")
  area.value = text
  // In an open dialog, as nothing outside of it can have the focus.
  const parent = document.querySelector("dialog[open]") ?? document.body
  parent.append(area)
  area.select()
  document.execCommand("copy")
  area.remove()
}

/** Whether something was copied a moment ago, and what copies it. */
const useCopying = (text: string) => {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await copyText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), copiedMillis)
  }
  return { isCopied, copy }
}

/** An id that is copied by a press on it, for lists of them. */
export const CopiedCode = ({ children }: { readonly children: string }) => {
  const { isCopied, copy } = useCopying(children)
  return (
    <Button kind="quiet" class="copied-code" title={uiTexts.value.copy} onClick={copy}>
      <Code>{children}</Code>
      <Icon name={isCopied ? "check" : "copy"} />
      <span class="visually-hidden" aria-live="polite">
        {isCopied ? uiTexts.value.copied : uiTexts.value.copy}
      </span>
    </Button>
  )
}

/** A button that copies text to the clipboard, and says so. */
export const Copy = ({ text, label }: { readonly text: string; readonly label?: string }) => {
  const { isCopied, copy } = useCopying(text)
  return (
    <Button class="copy" onClick={copy}>
      <Icon name={isCopied ? "check" : "copy"} />
      <span aria-live="polite">{isCopied ? uiTexts.value.copied : (label ?? uiTexts.value.copy)}</span>
    </Button>
  )
}

/** A technical text, such as an id, that people select or copy. It breaks anywhere. */
export const Code = ({ children, testId }: { readonly children: string; readonly testId?: string }) => (
  <code class="code" data-testid={testId}>
    {children}
  </code>
)

/** Text that somebody else wrote: its direction does not spill over, and it breaks anywhere. */
export const Foreign = ({ children }: { readonly children: string }) => <bdi class="foreign">{children}</bdi>
