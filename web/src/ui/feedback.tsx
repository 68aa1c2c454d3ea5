import type { ComponentChildren } from "preact"
import type { CorrenteError } from "../../../client/src/errors.ts"
import { retryReason } from "../api/retrying.ts"
import { failureText } from "../text/failures.ts"
import { Button } from "./button.tsx"
import { uiTexts } from "./texts.ts"

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
export const FormError = ({
  error,
  id,
}: {
  readonly error: CorrenteError | undefined
  readonly id?: string
}) =>
  error === undefined ? null : (
    <p id={id} class="form-error" data-testid="form-error" role="alert" data-code={error.code}>
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
