import { useState } from "preact/hooks"
import { formatMoment, formatMoney } from "../text/format.ts"
import { statusText, statusTone } from "../text/statuses.ts"
import { Button } from "./button.tsx"
import { uiTexts } from "./texts.ts"

/** Centavos as money; `data-amount` has the integer. */
export const Money = ({
  amount,
  testId,
}: {
  readonly amount: number
  readonly testId?: string | undefined
}) => (
  <span class="money" data-amount={amount} data-testid={testId}>
    {formatMoney(amount)}
  </span>
)

/** A date-time of the API. */
export const Moment = ({ at }: { readonly at: string | null }) =>
  at === null ? <span class="muted">—</span> : <time dateTime={at}>{formatMoment(at)}</time>

/** A status in words; `data-status` has the API's own value. */
export const Status = ({
  status,
  testId,
}: {
  readonly status: string
  readonly testId?: string | undefined
}) => (
  <span class={`status ${statusTone(status)}`} data-status={status} data-testid={testId}>
    {statusText(status)}
  </span>
)

const copiedMillis = 2_000

/** Copies text. Browsers have a clipboard for scripts on https and localhost only; elsewhere a selection is copied. */
const copyText = async (text: string): Promise<void> => {
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

/** A button that copies text to the clipboard, and says so. */
export const Copy = ({ text, label }: { readonly text: string; readonly label?: string }) => {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await copyText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), copiedMillis)
  }
  return (
    <Button class="copy" onClick={copy}>
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
