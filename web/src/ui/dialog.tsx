import type { ComponentChildren } from "preact"
import { useEffect, useId, useRef } from "preact/hooks"
import { uiTexts } from "./texts.ts"

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly testId?: string
  /** False where closing would lose something shown only once: Escape and the close button do nothing. Default: true. */
  readonly canClose?: boolean
  readonly children: ComponentChildren
}

/** A modal dialog; it is in the document only while it is open, so render it only then. */
export const Dialog = ({ title, onClose, testId = "dialog", canClose = true, children }: DialogProps) => {
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = element.current
    const opener = document.activeElement
    if (dialog !== null && !dialog.open) dialog.showModal()
    return () => {
      if (opener instanceof HTMLElement) opener.focus()
    }
  }, [])
  return (
    <dialog
      ref={element}
      class="dialog"
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
            ✕
          </button>
        )}
      </header>
      {children}
    </dialog>
  )
}
