import type { ComponentChildren, InputHTMLAttributes, TargetedEvent, TargetedSubmitEvent } from "preact"
import { useEffect, useId, useRef, useState } from "preact/hooks"
import type { CorrenteError } from "../../../client/src/errors.ts"
import { parseAmount } from "../../../schema/amountText.ts"
import { failureOf } from "../api/resource.ts"
import { hostStepUp, stepUpRequest } from "../api/stepUp.ts"
import { amountWhileTyping, caretAfter, formatAmountInput } from "../text/amount.ts"
import { FormError, Retrying } from "./feedback.tsx"
import { StepUpCode } from "./stepUpCode.tsx"
import { uiTexts } from "./texts.ts"

interface FormProps {
  /** Sends the form. What it throws is shown as the form's error. */
  readonly onSubmit: (values: FormData) => Promise<unknown>
  readonly submit: string
  readonly danger?: boolean
  readonly onCancel?: () => void
  /** Of its button, on a page with forms that are not all dialogs. Default: `submit`. */
  readonly submitTestId?: string
  readonly children?: ComponentChildren
}

/** Whether a form's request waits for a second factor; `begin` when it is sent, and what it returns once that is over. */
const useHosting = () => {
  const host = useRef({})
  const end = useRef(() => {})
  useEffect(
    () => () => {
      end.current()
      // Who closes a form that asks for a code gives up.
      const request = stepUpRequest.peek()
      if (request?.host === host.current) request.settle(false)
    },
    [],
  )
  const begin = () => {
    end.current = hostStepUp(host.current)
    return end.current
  }
  const request = stepUpRequest.value
  return { begin, request: request?.host === host.current ? request : undefined }
}

/** Ties an error to the field that it is about, for as long as it is shown: the field is invalid, and described by it. */
const useFieldOf = (error: CorrenteError | undefined, errorId: string) => {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    const name = error?.param
    const field = name === undefined ? null : form.current?.elements.namedItem(name)
    if (!(field instanceof HTMLElement)) return
    const hint = field.getAttribute("aria-describedby")
    field.setAttribute("aria-invalid", "true")
    field.setAttribute("aria-describedby", hint === null ? errorId : `${errorId} ${hint}`)
    return () => {
      field.removeAttribute("aria-invalid")
      if (hint === null) field.removeAttribute("aria-describedby")
      else field.setAttribute("aria-describedby", hint)
    }
  }, [error, errorId])
  return form
}

/**
 * A form with one submit button, which is busy while it is sent, and a place for why it was refused, until something is changed. Where
 * its request needs a second factor, it asks for the code in place.
 */
export const Form = ({
  onSubmit,
  submit,
  danger,
  onCancel,
  submitTestId = "submit",
  children,
}: FormProps) => {
  const [error, setError] = useState<CorrenteError | undefined>(undefined)
  const [isBusy, setBusy] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const stepUp = useHosting()
  const errorId = useId()
  const form = useFieldOf(error, errorId)
  useEffect(() => {
    // The button that was pressed could not keep the focus while it was disabled, nor a code's field that is gone.
    const isLost = document.activeElement === null || document.activeElement.matches("body, dialog")
    if (error !== undefined && !isBusy && isLost) button.current?.focus()
  }, [error, isBusy])
  const send = async (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isBusy) return
    const values = new FormData(event.currentTarget)
    setBusy(true)
    setError(undefined)
    const end = stepUp.begin()
    try {
      await onSubmit(values)
    } catch (cause) {
      setError(failureOf(cause))
    }
    end()
    setBusy(false)
  }
  return (
    <>
      <form
        ref={form}
        class="form"
        onSubmit={send}
        onInput={() => setError(undefined)}
        aria-busy={isBusy}
        inert={stepUp.request !== undefined}
      >
        {children}
        <FormError error={error} id={errorId} />
        {/* The page's own sentence is behind the dialog that many forms are in. */}
        {isBusy && <Retrying />}
        {stepUp.request === undefined && (
          <div class="form-buttons">
            {onCancel !== undefined && (
              <button type="button" class="button plain" onClick={onCancel}>
                {uiTexts.value.cancel}
              </button>
            )}
            <button
              ref={button}
              type="submit"
              class={`button ${danger ? "danger" : "primary"}`}
              data-testid={submitTestId}
              disabled={isBusy}
            >
              {submit}
            </button>
          </div>
        )}
      </form>
      {stepUp.request !== undefined && <StepUpCode settle={stepUp.request.settle} hasTitle />}
    </>
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
  /** The last day of a date. */
  readonly max?: string
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

interface AmountFieldProps {
  readonly label: string
  readonly hint?: string | undefined
  readonly name?: string
  readonly required?: boolean
  readonly autofocus?: boolean
  /** Whether it is what the form is about, in large digits. Default: false. */
  readonly isBig?: boolean
  /** What it begins with, as {@link formatAmountInput} writes it. */
  readonly defaultValue?: string
  /** What it shows, where the form keeps that. */
  readonly value?: string
  readonly onText?: (text: string) => void
}

/** Shows what was typed as an amount; what was pasted is read as a whole. */
const formatTyped = (input: HTMLInputElement, event: InputEvent): void => {
  const { inputType = "", data } = event
  const isWhole = !/^(insert(CompositionText|Text)|delete)/.test(inputType) || (data?.length ?? 0) > 1
  const before = input.value
  const pasted = isWhole ? parseAmount(before) : undefined
  const after =
    pasted === undefined
      ? amountWhileTyping(before, inputType.startsWith("delete"))
      : formatAmountInput(pasted)
  if (after === before) return
  const caret = caretAfter(before, input.selectionStart ?? before.length, after)
  input.value = after
  input.setSelectionRange(caret, caret)
}

/** A labelled amount in reais, which gets its thousands while it is typed; read it with `parseAmount`. */
export const AmountField = ({ label, hint, isBig = false, onText, required, ...input }: AmountFieldProps) => {
  const id = useId()
  const described = hint === undefined ? {} : { "aria-describedby": `${id}-hint` }
  return (
    <div class="field">
      <label for={id}>
        {label}
        <span class="visually-hidden"> {uiTexts.value.inReais}</span>
        {required ? null : <small> ({uiTexts.value.optional})</small>}
      </label>
      <span class={isBig ? "amount-field big" : "amount-field"}>
        <span aria-hidden="true">R$</span>
        <input
          {...input}
          {...described}
          id={id}
          required={required}
          inputMode="decimal"
          autocomplete="off"
          placeholder="0,00"
          data-testid="amount-input"
          onInput={(event) => {
            formatTyped(event.currentTarget, event as unknown as InputEvent)
            onText?.(event.currentTarget.value)
          }}
          onBlur={(event) => {
            const amount = parseAmount(event.currentTarget.value)
            if (amount === undefined) return
            event.currentTarget.value = formatAmountInput(amount)
            onText?.(event.currentTarget.value)
          }}
        />
      </span>
      {hint !== undefined && <small id={`${id}-hint`}>{hint}</small>}
    </div>
  )
}

interface TextAreaProps {
  readonly label: string
  readonly hint?: string
  readonly name: string
  readonly rows: number
  readonly maxLength?: number
  readonly defaultValue?: string
  /** Default: it may stay empty, and says so. */
  readonly required?: boolean
  readonly "data-testid"?: string
}

/** A labelled input of several lines. */
export const TextArea = ({ label, hint, ...input }: TextAreaProps) => {
  const id = useId()
  const described = hint === undefined ? {} : { "aria-describedby": `${id}-hint` }
  return (
    <div class="field">
      <label for={id}>
        {label} {!input.required && <small>({uiTexts.value.optional})</small>}
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
