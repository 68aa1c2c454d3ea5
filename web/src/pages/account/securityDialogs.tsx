import { useState } from "preact/hooks"
import { formLimits } from "../../../../schema/formLimits.ts"
import { call } from "../../api/http.ts"
import { user } from "../../api/session.ts"
import { navigate } from "../../app/router.tsx"
import { textsOf } from "../../text/i18n.ts"
import { hourMillis } from "../../text/spans.ts"
import { Dialog } from "../../ui/dialog.tsx"
import { Checkbox, Form } from "../../ui/form.tsx"
import { notify } from "../../ui/notice.tsx"
import { BackupCodes } from "./backupCodes.tsx"
import { Enrolment } from "./enrolment.tsx"
import { inWords } from "./failures.ts"
import { PasswordField, passwordIn } from "./fields.tsx"

const hours = formLimits.recoveryLockMillis / hourMillis

const texts = textsOf({
  "pt-BR": {
    changeTitle: "Trocar senha",
    current: "Senha atual",
    next: "Nova senha",
    endOthers: "Encerrar todas as outras sessões",
    change: "Trocar senha",
    enableTitle: "Ativar verificação em duas etapas",
    codesTitle: "Novos códigos de reserva",
    codesWhy: "Os códigos que você tem agora deixam de valer.",
    codes: "Gerar códigos",
    offTitle: "Desativar verificação em duas etapas",
    offWhy:
      "Sua conta fica protegida só pela senha. Todas as sessões são encerradas, e você entra de novo com e-mail e senha.",
    offLock: `Por segurança, os saques ficam bloqueados por ${hours} horas.`,
    off: "Desativar",
    isOffLocked: `A verificação em duas etapas foi desativada e os saques estão bloqueados por ${hours} horas. Entre de novo.`,
  },
  en: {
    changeTitle: "Change the password",
    current: "Current password",
    next: "New password",
    endOthers: "End all other sessions",
    change: "Change the password",
    enableTitle: "Turn on two-factor authentication",
    codesTitle: "New backup codes",
    codesWhy: "The codes that you have now stop working.",
    codes: "Make new codes",
    offTitle: "Turn off two-factor authentication",
    offWhy:
      "Only the password then protects your account. All sessions end, and you sign in again with e-mail address and password.",
    offLock: `For safety, withdrawals are locked for ${hours} hours.`,
    off: "Turn off",
    isOffLocked: `Two-factor authentication is off, and withdrawals are locked for ${hours} hours. Sign in again.`,
  },
})

interface DialogProps {
  readonly onClose: () => void
  readonly onDone: () => void
}

const wrongPassword = { invalid_credentials: "wrongPassword" } as const

/** Changes the password, and ends all other sessions unless they are to stay. */
export const PasswordDialog = ({ onClose, onDone }: DialogProps) => {
  const { value } = texts
  const send = async (values: FormData) => {
    const body = {
      currentPassword: passwordIn(values),
      newPassword: passwordIn(values, "newPassword"),
      revokeOtherSessions: values.has("endOthers"),
    }
    const request = call("POST /v1/me/auth/change-password", { body })
    user.value = (await inWords(request, wrongPassword)).user
    onDone()
  }
  return (
    <Dialog title={value.changeTitle} onClose={onClose}>
      <Form submit={value.change} onCancel={onClose} onSubmit={send}>
        <PasswordField label={value.current} autofocus />
        <PasswordField label={value.next} name="newPassword" isNew data-testid="new-password-input" />
        <Checkbox label={value.endOthers} name="endOthers" defaultChecked />
      </Form>
    </Dialog>
  )
}

/** Turns 2FA on. It cannot be closed while the backup codes are shown. */
export const EnrolmentDialog = ({ onClose, onDone }: DialogProps) => {
  const [isEnabled, setEnabled] = useState(false)
  return (
    <Dialog title={texts.value.enableTitle} onClose={onClose} canClose={!isEnabled}>
      <Enrolment onEnabled={() => setEnabled(true)} onDone={onDone} />
    </Dialog>
  )
}

/** Replaces the backup codes. It cannot be closed while they are shown. */
export const NewCodesDialog = ({ onClose, onDone }: DialogProps) => {
  const [codes, setCodes] = useState<ReadonlyArray<string>>()
  const { value } = texts
  const send = async (values: FormData) => {
    const body = { password: passwordIn(values) }
    const request = call("POST /v1/me/auth/two-factor/generate-backup-codes", { body })
    setCodes((await inWords(request, wrongPassword)).backupCodes)
  }
  return (
    <Dialog title={value.codesTitle} onClose={onClose} canClose={codes === undefined}>
      {codes === undefined ? (
        <Form submit={value.codes} onCancel={onClose} onSubmit={send}>
          <p>{value.codesWhy}</p>
          <PasswordField autofocus />
        </Form>
      ) : (
        <BackupCodes codes={codes} onDone={onDone} />
      )}
    </Dialog>
  )
}

/** Turns a seller's 2FA off, which ends this session too. */
export const TwoFactorOffDialog = ({ onClose }: Pick<DialogProps, "onClose">) => {
  const { value } = texts
  const send = async (values: FormData) => {
    const body = { password: passwordIn(values) }
    await inWords(call("POST /v1/me/auth/two-factor/disable", { body }), wrongPassword)
    user.value = null
    notify(texts.value.isOffLocked)
    navigate("/sign-in", { replace: true })
  }
  return (
    <Dialog title={value.offTitle} onClose={onClose}>
      <Form submit={value.off} danger onCancel={onClose} onSubmit={send}>
        <p>
          {value.offWhy} {value.offLock}
        </p>
        <PasswordField autofocus />
      </Form>
    </Dialog>
  )
}
