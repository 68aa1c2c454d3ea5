import { useId } from "preact/hooks"

const two = (value: number) => String(value).padStart(2, "0")

/** A moment as `<input type="datetime-local">` takes it, by the clock of the computer: `2026-11-23T07:30`. */
export const localText = (at: Date): string =>
  `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`

/** A labelled date and time of the computer's clock. */
export const LocalMoment = ({
  label,
  hint,
  ...input
}: {
  readonly label: string
  readonly hint?: string
  readonly name: string
  readonly required?: boolean
  readonly defaultValue?: string
}) => {
  const id = useId()
  const described = hint === undefined ? {} : { "aria-describedby": `${id}-hint` }
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input {...input} {...described} type="datetime-local" id={id} data-testid={`recover-${input.name}`} />
      {hint !== undefined && <small id={`${id}-hint`}>{hint}</small>}
    </div>
  )
}
