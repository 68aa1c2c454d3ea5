import type { ButtonHTMLAttributes, ComponentChildren } from "preact"
import { useState } from "preact/hooks"

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, "onClick" | "size"> {
  readonly kind?: "primary" | "plain" | "danger" | "quiet"
  /** While the promise that it returns is pending, the button is busy and cannot be pressed again. */
  readonly onClick?: (event: MouseEvent) => unknown
  readonly children?: ComponentChildren
  readonly "data-testid"?: string
  readonly "data-act"?: string
  readonly "data-seconds"?: number
}

/** A button. Its handler must show its own failures. */
export const Button = ({ kind = "plain", onClick, disabled, class: more, ...rest }: ButtonProps) => {
  const [isBusy, setBusy] = useState(false)
  const press = async (event: MouseEvent) => {
    const result = onClick?.(event)
    if (!(result instanceof Promise)) return
    setBusy(true)
    try {
      await result
    } finally {
      setBusy(false)
    }
  }
  return (
    <button
      type="button"
      {...rest}
      class={`button ${kind} ${more ?? ""}`}
      disabled={disabled === true || isBusy}
      aria-busy={isBusy}
      onClick={press}
    />
  )
}
