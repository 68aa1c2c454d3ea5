import type { ButtonHTMLAttributes, ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import type { MemberAct } from "../../../schema/memberRoles.ts"
import { denial } from "../text/roles.ts"
import { notify } from "./notice.tsx"

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, "onClick" | "size"> {
  /**
   * What it takes of the user's role in the team. For who may not it does nothing but say why: in a tooltip, and once pressed, since
   * touch screens show none.
   */
  readonly needs?: MemberAct
  readonly kind?: "primary" | "plain" | "danger" | "quiet"
  /** While the promise that it returns is pending, the button is busy and cannot be pressed again. */
  readonly onClick?: (event: MouseEvent) => unknown
  readonly children?: ComponentChildren
  readonly "data-testid"?: string
  readonly "data-act"?: string
  readonly "data-seconds"?: number
}

/** A button. Its handler must show its own failures. */
export const Button = ({ needs, kind = "plain", onClick, disabled, class: more, ...rest }: ButtonProps) => {
  const [isBusy, setBusy] = useState(false)
  const why = needs && denial(needs)
  const press = async (event: MouseEvent) => {
    if (why !== undefined) {
      event.preventDefault()
      return notify(why)
    }
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
      disabled={why === undefined && (disabled === true || isBusy)}
      {...(why === undefined ? {} : { title: why, "aria-disabled": true, "data-denied": needs })}
      aria-busy={isBusy}
      onClick={press}
    />
  )
}
