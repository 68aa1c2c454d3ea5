import { useEffect, useId, useRef, useState } from "preact/hooks"
import type { CorrenteError } from "../../../client/src/errors.ts"
import { call } from "../api/http.ts"
import { failureOf } from "../api/resource.ts"
import { offersPasskey } from "../api/session.ts"
import { moveStepUpToDialog, type StepUpRequest } from "../api/stepUp.ts"
import { textsOf } from "../text/i18n.ts"
import { Button } from "./button.tsx"
import { FormError } from "./feedback.tsx"
import { uiTexts } from "./texts.ts"

const texts = textsOf({
  "pt-BR": {
    title: "Confirme que é você",
    why: "Digite o código de 6 dígitos do seu aplicativo. A ação continua sozinha.",
    whyBackup: "Digite um dos códigos de reserva que você guardou. Cada um vale uma vez.",
    code: "Código do aplicativo",
    backup: "Código de reserva",
    useBackup: "Usar código de reserva",
    useApp: "Usar código do aplicativo",
    usePasskey: "Usar passkey",
    confirm: "Confirmar",
  },
  en: {
    title: "Confirm that it is you",
    why: "Enter the 6-digit code of your authenticator app. The action goes on by itself.",
    whyBackup: "Enter one of the backup codes that you stored. Each works once.",
    code: "Code of the app",
    backup: "Backup code",
    useBackup: "Use a backup code",
    useApp: "Use the app's code",
    usePasskey: "Use a passkey",
    confirm: "Confirm",
  },
})

const digitsOfCode = 6
const backupLengthMax = 64

interface CodeInputProps {
  readonly isBackup: boolean
  readonly label: string
}

/** The six digits of an app, which are sent as soon as they are all there; or a backup code. */
const CodeInput = ({ isBackup, label }: CodeInputProps) => {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => input.current?.focus(), [])
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {isBackup ? (
        <input
          ref={input}
          id={id}
          name="code"
          data-testid="code-input"
          autocomplete="off"
          maxLength={backupLengthMax}
          required
        />
      ) : (
        <input
          ref={input}
          id={id}
          class="code-digits"
          name="code"
          data-testid="code-input"
          inputMode="numeric"
          autocomplete="one-time-code"
          pattern="[0-9]{6}"
          required
          onInput={(event) => {
            const field = event.currentTarget
            field.value = field.value.replace(/\D/g, "").slice(0, digitsOfCode)
            if (field.value.length === digitsOfCode) field.form?.requestSubmit()
          }}
        />
      )}
    </div>
  )
}

interface StepUpCodeProps extends Pick<StepUpRequest, "settle"> {
  /** Whether it has a heading of its own, as it needs within a form. Default: false. */
  readonly hasTitle?: boolean
}

/** Asks for a code while a request waits for it. An app's code is sent with its sixth digit. */
export const StepUpCode = ({ settle, hasTitle = false }: StepUpCodeProps) => {
  const [isBackup, setBackup] = useState(false)
  const [error, setError] = useState<CorrenteError>()
  const isBusy = useRef(false)
  const root = useRef<HTMLFormElement>(null)
  // On a phone it begins below the edge of the dialog.
  useEffect(() => root.current?.scrollIntoView({ block: "nearest" }), [])
  const { value } = texts
  /** Steps the session up, once at a time. */
  const confirm = async (give: () => Promise<unknown>, retry: () => void) => {
    if (isBusy.current) return
    isBusy.current = true
    setError(undefined)
    try {
      await give()
      settle(true)
    } catch (cause) {
      const failure = failureOf(cause)
      if (failure.code === "mfa_required") moveStepUpToDialog()
      setError(failure)
      retry()
    }
    isBusy.current = false
  }
  const send = (form: HTMLFormElement) => {
    const field = form.elements.namedItem("code") as HTMLInputElement
    const body = { code: field.value.trim() }
    return confirm(
      () => call("POST /v1/me/auth/step-up", { body, asksStepUp: false }),
      () => {
        field.value = ""
        field.focus()
      },
    )
  }
  const givePasskey = () =>
    confirm(
      async () => (await import("../api/passkeys.ts")).usePasskey(false),
      () => {},
    )
  return (
    <form
      ref={root}
      class="form step-up"
      data-testid="step-up"
      aria-label={value.title}
      onSubmit={(event) => {
        event.preventDefault()
        void send(event.currentTarget)
      }}
    >
      {hasTitle && <h3>{value.title}</h3>}
      <p>{isBackup ? value.whyBackup : value.why}</p>
      <CodeInput key={isBackup} isBackup={isBackup} label={isBackup ? value.backup : value.code} />
      <FormError error={error} />
      {offersPasskey.value && (
        <Button data-testid="use-passkey" onClick={givePasskey}>
          {value.usePasskey}
        </Button>
      )}
      <button
        type="button"
        class="button quiet"
        data-testid="other-code"
        onClick={() => {
          setError(undefined)
          setBackup(!isBackup)
        }}
      >
        {isBackup ? value.useApp : value.useBackup}
      </button>
      <div class="form-buttons">
        <button type="button" class="button plain" onClick={() => settle(false)}>
          {uiTexts.value.cancel}
        </button>
        <button type="submit" class="button primary" data-testid="submit">
          {value.confirm}
        </button>
      </div>
    </form>
  )
}
