import { signal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import type { CorrenteError } from "../../../client/src/errors.ts"
import { retryReason } from "../api/retrying.ts"
import { failureText } from "../text/failures.ts"
import { Button } from "./button.tsx"
import { uiTexts } from "./texts.ts"

const noticeText = signal("")
let noticeTimer: ReturnType<typeof setTimeout> | undefined
const noticeMillis = 8_000

/** Says what was done, in words, at the edge of the page for a few seconds. */
export const notify = (text: string): void => {
  clearTimeout(noticeTimer)
  noticeText.value = text
  noticeTimer = setTimeout(() => {
    noticeText.value = ""
  }, noticeMillis)
}

/** Where {@link notify} shows its sentence; once on every page. */
export const Notice = () => (
  <div class="notice" data-testid="notice" role="status" data-shown={noticeText.value !== ""}>
    {noticeText.value}
  </div>
)

/** Says that something of the page is tried again, and why, for as long as it waits. */
export const Retrying = () => {
  const reason = retryReason.value
  return (
    <p class="retrying" data-testid="retrying" role="status" data-reason={reason}>
      {reason !== undefined && uiTexts.value.retrying[reason]}
    </p>
  )
}

/** Why a form or an act was refused; nothing while `error` is undefined. */
export const FormError = ({ error }: { readonly error: CorrenteError | undefined }) =>
  error === undefined ? null : (
    <p class="form-error" data-testid="form-error" role="alert" data-code={error.code}>
      {failureText(error)}
      {error.requestId !== undefined && (error.status ?? 0) >= 500 && (
        <small>
          {uiTexts.value.request}: <code>{error.requestId}</code>
        </small>
      )}
    </p>
  )

/** Why something could not be read, with a button that tries again. */
export const ReadError = ({
  error,
  onRetry,
}: {
  readonly error: CorrenteError
  readonly onRetry: () => unknown
}) => (
  <div class="read-error" role="alert">
    <p>{failureText(error)}</p>
    <Button onClick={onRetry}>{uiTexts.value.retry}</Button>
  </div>
)

/** Said in place of a list without entries: what would stand there, and how to get the first. */
export const Empty = ({
  title,
  children,
}: {
  readonly title?: string
  readonly children?: ComponentChildren
}) => (
  <div class="empty">
    <strong>{title ?? uiTexts.value.nothing}</strong>
    {children !== undefined && <p>{children}</p>}
  </div>
)
