import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { formLimits } from "../../../../schema/formLimits.ts"
import { failureOf } from "../../api/resource.ts"
import { Link } from "../../app/router.tsx"
import { explain } from "../../text/failures.ts"
import { textsOf } from "../../text/i18n.ts"
import { Button } from "../../ui/button.tsx"
import { Dialog } from "../../ui/dialog.tsx"
import { Field, Form, textOf } from "../../ui/form.tsx"
import { notify } from "../../ui/notice.tsx"
import { uiTexts } from "../../ui/texts.ts"
import { refusedDecision } from "./overtaken.ts"
import { isSecondOperatorNeeded } from "./secondOperator.ts"
import "../../styles/admin.css"

const texts = textsOf({
  "pt-BR": {
    reason: "Motivo",
    kept: "Fica registrado na auditoria.",
    second:
      "Pedido registrado. Nada mudou ainda: a ação só acontece quando outro operador pedir a mesma coisa.",
    audit: "Ver quem decidiu, na auditoria",
  },
  en: {
    reason: "Reason",
    kept: "Kept in the audit log.",
    second: "Your request is recorded. Nothing has changed yet: another operator must ask for the same act.",
    audit: "See who decided, in the audit log",
  },
})

/** An act that waits for the operator to confirm it. */
export interface Act {
  readonly title: string
  /** What will happen, in words. */
  readonly explanation: ComponentChildren
  /** The button that does it. */
  readonly submit: string
  readonly isDanger?: boolean
  /** Default: optional. */
  readonly reason?: "required" | "optional" | "none"
  /** Who else reads the reason; default: the audit log alone. */
  readonly reasonHint?: string
  /** Default: that of most decisions. */
  readonly reasonLengthMax?: number
  /** Further fields, above the reason. */
  readonly fields?: ComponentChildren
  /** Does it. `body` has the reason where one was given. What it throws is shown in the dialog. */
  readonly perform: (body: { readonly reason?: string }, values: FormData) => Promise<unknown>
  /** Whether it decides something that is decided once: what another operator has decided first is told as that. */
  readonly isDecision?: boolean
  /** What is told once it is done. */
  readonly done: string
}

interface ActDialogProps {
  readonly act: Act
  readonly onClose: () => void
  readonly onDone: () => unknown
}

/** Says in place of the form that there is nothing left to decide. */
const Overtaken = ({ words, onClose }: { readonly words: string; readonly onClose: () => void }) => (
  <div class="overtaken" data-testid="overtaken" role="alert">
    <p class="warning">{words}</p>
    <div class="form-buttons">
      <Link to="/admin/audit" class="button plain">
        {texts.value.audit}
      </Link>
      <Button kind="primary" data-testid="close" onClick={onClose}>
        {uiTexts.value.close}
      </Button>
    </div>
  </div>
)

/** Confirms an act in a dialog that says what will happen, does it, and tells its result. */
const ActDialog = ({ act, onClose, onDone }: ActDialogProps) => {
  const { reason = "optional" } = act
  const [overtaken, setOvertaken] = useState<string | undefined>(undefined)
  const submit = async (values: FormData) => {
    const given = textOf(values, "reason")
    try {
      const answer = await act.perform(given === "" ? {} : { reason: given }, values)
      notify(isSecondOperatorNeeded(answer) ? texts.value.second : act.done)
      onClose()
    } catch (cause) {
      const error = failureOf(cause)
      const refused = act.isDecision === true ? refusedDecision(error) : undefined
      if (refused === undefined) throw cause
      if (refused.isOver) setOvertaken(refused.words)
      onDone()
      if (!refused.isOver) throw explain(error, refused.words)
      return
    }
    onDone()
  }
  return (
    <Dialog title={act.title} onClose={onClose}>
      {overtaken !== undefined ? (
        <Overtaken words={overtaken} onClose={onClose} />
      ) : (
        <Form submit={act.submit} danger={act.isDanger === true} onCancel={onClose} onSubmit={submit}>
          <div class="act-explanation">{act.explanation}</div>
          {act.fields}
          {reason !== "none" && (
            <Field
              label={texts.value.reason}
              name="reason"
              hint={act.reasonHint ?? texts.value.kept}
              maxLength={act.reasonLengthMax ?? formLimits.decisionReasonLengthMax}
              required={reason === "required"}
              autocomplete="off"
              autofocus
              data-testid="reason-input"
            />
          )}
        </Form>
      )}
    </Dialog>
  )
}

/** The act that a page asks its operator to confirm, and the dialog for it. `onDone` reads again what the act changed. */
export const useAct = (onDone: () => unknown) => {
  const [act, ask] = useState<Act | undefined>(undefined)
  const dialog =
    act === undefined ? null : <ActDialog act={act} onClose={() => ask(undefined)} onDone={onDone} />
  return { ask, dialog }
}
