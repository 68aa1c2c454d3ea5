import type { ComponentChildren } from "preact"
import { useEffect, useId, useRef } from "preact/hooks"
import { Icon } from "./icons.tsx"
import { uiTexts } from "./texts.ts"

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly testId?: string
  /** False where closing would lose something shown only once: Escape and the close button do nothing. Default: true. */
  readonly canClose?: boolean
  /** Whether it comes from below on a narrow screen. Default: false. */
  readonly isSheet?: boolean
  readonly children: ComponentChildren
}

/** A modal dialog; it is in the document only while it is open, so render it only then. */
export const Dialog = ({
  title,
  onClose,
  testId = "dialog",
  canClose = true,
  isSheet = false,
  children,
}: DialogProps) => {
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = element.current
    const opener = document.activeElement
    if (dialog !== null && !dialog.open) dialog.showModal()
    return () => {
      // What the dialog did may have taken away the button that opened it.
      const isThere = opener instanceof HTMLElement && opener.isConnected
      const heir = isThere ? opener : document.querySelector<HTMLElement>("main h1")
      heir?.focus()
    }
  }, [])
  return (
    <dialog
      ref={element}
      class={isSheet ? "dialog sheet" : "dialog"}
      data-testid={testId}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        if (canClose) onClose()
      }}
      // Browsers close a dialog without asking when Escape is pressed twice.
      onClose={() => (canClose ? onClose() : element.current?.showModal())}
    >
      <header class="dialog-head">
        <h2 id={id}>{title}</h2>
        {canClose && (
          <button type="button" class="button quiet" aria-label={uiTexts.value.close} onClick={onClose}>
            <Icon name="close" />
          </button>
        )}
      </header>
      {children}
    </dialog>
  )
}
