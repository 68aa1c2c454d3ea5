import { useEffect, useRef, useState } from "preact/hooks"
import { formLimits } from "../../../../schema/formLimits.ts"
import { textsOf } from "../../text/i18n.ts"
import { Field } from "../../ui/form.tsx"
import { readCode } from "./rules.ts"

const texts = textsOf({
  "pt-BR": {
    email: "E-mail",
    password: "Senha",
    show: "Mostrar",
    hide: "Ocultar",
    showPassword: "Mostrar a senha",
    hidePassword: "Ocultar a senha",
    rule: `Pelo menos ${formLimits.passwordLengthMin} caracteres. Quatro palavras ao acaso funcionam bem.`,
    code: "Código",
    codeHint: "Os 6 dígitos do aplicativo autenticador, ou um código de reserva.",
  },
  en: {
    email: "E-mail address",
    password: "Password",
    show: "Show",
    hide: "Hide",
    showPassword: "Show the password",
    hidePassword: "Hide the password",
    rule: `At least ${formLimits.passwordLengthMin} characters. Four random words work well.`,
    code: "Code",
    codeHint: "The 6 digits of your authenticator app, or a backup code.",
  },
})

/** A password as it was typed: spaces around it belong to it. */
export const passwordIn = (values: FormData, name = "password"): string => {
  const value = values.get(name)
  return typeof value === "string" ? value : ""
}

interface PasswordFieldProps {
  readonly label?: string
  readonly name?: string
  /** Whether it is chosen here, so that it has rules. */
  readonly isNew?: boolean
  readonly defaultValue?: string
  readonly autofocus?: boolean
  readonly "data-testid"?: string
}

/** A password, which its user can look at. */
export const PasswordField = ({
  label,
  name = "password",
  isNew = false,
  "data-testid": testId = "password-input",
  ...rest
}: PasswordFieldProps) => {
  const [isShown, setShown] = useState(false)
  const { value } = texts
  return (
    <div class="password-field">
      <Field
        {...rest}
        label={label ?? value.password}
        name={name}
        type={isShown ? "text" : "password"}
        autocomplete={isNew ? "new-password" : "current-password"}
        required
        maxLength={formLimits.passwordLengthMax}
        data-testid={testId}
        {...(isNew ? { minLength: formLimits.passwordLengthMin, hint: value.rule } : {})}
      />
      <button
        type="button"
        class="password-toggle"
        aria-label={isShown ? value.hidePassword : value.showPassword}
        onClick={() => setShown(!isShown)}
      >
        {isShown ? value.hide : value.show}
      </button>
    </div>
  )
}

/** The address that somebody signs in with. */
export const EmailField = ({ defaultValue }: { readonly defaultValue?: string }) => (
  <Field
    label={texts.value.email}
    name="email"
    type="email"
    autocomplete="username"
    required
    maxLength={formLimits.customerEmailLengthMax}
    data-testid="email-input"
    {...(defaultValue === undefined ? {} : { defaultValue })}
  />
)

/**
 * A code of the authenticator app, or a backup code where `hint` does not say otherwise. An app's code is sent with its sixth digit,
 * typed or pasted; one that was refused only by the button, until it changes.
 */
export const CodeField = ({ hint }: { readonly hint?: string }) => {
  const sent = useRef("")
  return (
    <Field
      label={texts.value.code}
      hint={hint ?? texts.value.codeHint}
      name="code"
      autocomplete="one-time-code"
      required
      maxLength={64}
      data-testid="code-input"
      onInput={({ currentTarget: { value, form } }) => {
        const { kind, code } = readCode(value)
        const isNew = kind === "totp" && code !== sent.current
        sent.current = kind === "totp" ? code : ""
        if (isNew) form?.requestSubmit()
      }}
    />
  )
}

/** Puts the focus into the first field that can be typed into, whenever `step` changes. */
export const useFirstField = (step: unknown): void => {
  useEffect(() => {
    const fields = document.querySelectorAll<HTMLInputElement>("form input:not([readonly], [type=checkbox])")
    const dialog = document.querySelector("dialog[open]")
    for (const field of fields) {
      if (dialog === null || dialog.contains(field)) return field.focus({ preventScroll: true })
    }
  }, [step])
}
