import type { ComponentChildren, InputHTMLAttributes, TargetedEvent, TargetedSubmitEvent } from "preact"
import { useId, useState } from "preact/hooks"
import type { CorrenteError } from "../../../client/src/errors.ts"
import { failureOf } from "../api/resource.ts"
import { FormError, Retrying } from "./feedback.tsx"
import { uiTexts } from "./texts.ts"

interface FormProps {
  /** Sends the form. What it throws is shown as the form's error. */
  readonly onSubmit: (values: FormData) => Promise<unknown>
  readonly submit: string
  readonly danger?: boolean
  readonly onCancel?: () => void
  readonly children?: ComponentChildren
}

/** A form with one submit button, which is busy while it is sent, and a place for why it was refused. */
export const Form = ({ onSubmit, submit, danger, onCancel, children }: FormProps) => {
  const [error, setError] = useState<CorrenteError | undefined>(undefined)
  const [isBusy, setBusy] = useState(false)
  const send = async (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isBusy) return
    const values = new FormData(event.currentTarget)
    setBusy(true)
    setError(undefined)
    try {
      await onSubmit(values)
    } catch (cause) {
      setError(failureOf(cause))
    }
    setBusy(false)
  }
  return (
    <form class="form" onSubmit={send} aria-busy={isBusy}>
      {children}
      <FormError error={error} />
      {/* The page's own sentence is behind the dialog that many forms are in. */}
      {isBusy && <Retrying />}
      <div class="form-buttons">
        {onCancel !== undefined && (
          <button type="button" class="button plain" onClick={onCancel}>
            {uiTexts.value.cancel}
          </button>
        )}
        <button
          type="submit"
          class={`button ${danger ? "danger" : "primary"}`}
          data-testid="submit"
          disabled={isBusy}
        >
          {submit}
        </button>
      </div>
    </form>
  )
}

/** The text of a form's field, without spaces around it. */
export const textOf = (values: FormData, name: string): string => {
  const value = values.get(name)
  return typeof value === "string" ? value.trim() : ""
}

interface FieldProps {
  readonly label: string
  readonly hint?: string | undefined
  readonly name?: string
  readonly type?: "text" | "email" | "password" | "search" | "url" | "number" | "date" | "tel"
  readonly required?: boolean
  /** Whether a field that is not required says so. Default: true. */
  readonly saysOptional?: boolean
  readonly autofocus?: boolean
  readonly autocomplete?: string
  readonly inputMode?: "numeric" | "decimal" | "text" | "email" | "url"
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly placeholder?: string
  readonly disabled?: boolean
  readonly defaultValue?: string
  readonly value?: string
  readonly onInput?: (event: TargetedEvent<HTMLInputElement>) => void
  readonly onChange?: (event: TargetedEvent<HTMLInputElement>) => void
  readonly "data-testid"?: string
}

/** A labelled input. */
export const Field = ({ label, hint, saysOptional = true, ...input }: FieldProps) => {
  const id = useId()
  // Preact's type has a member for each type of input, of which a choice among them is none.
  const attributes = {
    ...input,
    ...(hint === undefined ? {} : { "aria-describedby": `${id}-hint` }),
  } as InputHTMLAttributes<HTMLInputElement>
  return (
    <div class="field">
      <label for={id}>
        {label}
        {input.required || !saysOptional ? null : <small> ({uiTexts.value.optional})</small>}
      </label>
      <input {...attributes} id={id} />
      {hint !== undefined && <small id={`${id}-hint`}>{hint}</small>}
    </div>
  )
}

interface TextAreaProps {
  readonly label: string
  readonly hint?: string
  readonly name: string
  readonly rows: number
  readonly "data-testid"?: string
}

/** A labelled input of several lines, which may stay empty. */
export const TextArea = ({ label, hint, ...input }: TextAreaProps) => {
  const id = useId()
  const described = hint === undefined ? {} : { "aria-describedby": `${id}-hint` }
  return (
    <div class="field">
      <label for={id}>
        {label} <small>({uiTexts.value.optional})</small>
      </label>
      <textarea {...input} {...described} id={id} />
      {hint !== undefined && <small id={`${id}-hint`}>{hint}</small>}
    </div>
  )
}

interface SelectProps {
  readonly label: string
  readonly name?: string
  readonly required?: boolean
  readonly disabled?: boolean
  readonly value?: string
  readonly onChange?: (event: TargetedEvent<HTMLSelectElement>) => void
  readonly "data-testid"?: string
  readonly children: ComponentChildren
}

/** A labelled choice; its children are `<option>`s. */
export const Select = ({ label, children, ...select }: SelectProps) => {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select {...select} id={id}>
        {children}
      </select>
    </div>
  )
}

interface CheckboxProps {
  readonly label: ComponentChildren
  readonly name?: string
  readonly value?: string
  readonly required?: boolean
  readonly disabled?: boolean
  readonly checked?: boolean
  readonly defaultChecked?: boolean
  readonly onChange?: (event: TargetedEvent<HTMLInputElement>) => void
  readonly "data-testid"?: string
}

/** A labelled checkbox. */
export const Checkbox = ({ label, ...input }: CheckboxProps) => (
  <label class="checkbox">
    <input {...input} type="checkbox" />
    <span>{label}</span>
  </label>
)
