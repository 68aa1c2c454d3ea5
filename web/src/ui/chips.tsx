import type { ComponentChildren } from "preact"

interface ChipProps {
  readonly isPressed: boolean
  readonly onClick: () => void
  readonly children: ComponentChildren
}

/** A choice that is on or off, beside others of its kind. */
export const Chip = ({ isPressed, onClick, children }: ChipProps) => (
  <button type="button" class="chip" aria-pressed={isPressed} onClick={onClick}>
    {children}
  </button>
)

/** Chips that together choose one thing, which the label names. */
export const Chips = ({
  label,
  children,
}: {
  readonly label: string
  readonly children: ComponentChildren
}) => (
  <fieldset class="chips" aria-label={label}>
    {children}
  </fieldset>
)
