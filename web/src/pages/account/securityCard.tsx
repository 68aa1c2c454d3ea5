import { useState } from "preact/hooks"
import type { User } from "../../../../schema/resources/account.ts"
import { textsOf } from "../../text/i18n.ts"
import { Button } from "../../ui/button.tsx"
import { notify } from "../../ui/notice.tsx"
import { Card, Facts } from "../../ui/page.tsx"
import { EnrolmentDialog, NewCodesDialog, PasswordDialog, TwoFactorOffDialog } from "./securityDialogs.tsx"

const texts = textsOf({
  "pt-BR": {
    title: "Segurança",
    change: "Trocar senha",
    twoFactor: "Verificação em duas etapas",
    on: "Ativa",
    off: "Desativada",
    enable: "Ativar",
    why: "Ative com um aplicativo autenticador: sem ela, saques, chaves de API e webhooks ficam indisponíveis.",
    operator:
      "A verificação em duas etapas de um operador é trocada no servidor, com “ops admin reset-two-factor”.",
    disable: "Desativar",
    newCodes: "Novos códigos de reserva",
    passwordChanged: "Senha alterada.",
    enabled: "A verificação em duas etapas está ativa.",
    codesMade: "Os códigos de reserva anteriores deixaram de valer.",
  },
  en: {
    title: "Security",
    change: "Change the password",
    twoFactor: "Two-factor authentication",
    on: "On",
    off: "Off",
    enable: "Turn on",
    why: "Turn it on with an authenticator app: without it, withdrawals, API keys and webhooks are not available.",
    operator: "An operator's second factor is replaced on the server, by “ops admin reset-two-factor”.",
    disable: "Turn off",
    newCodes: "New backup codes",
    passwordChanged: "The password has been changed.",
    enabled: "Two-factor authentication is on.",
    codesMade: "The earlier backup codes no longer work.",
  },
})

type Opened = "password" | "enrolment" | "codes" | "off"

/** Password and second factor. Each change is made in a dialog. */
export const SecurityCard = ({ who }: { readonly who: User }) => {
  const [opened, setOpened] = useState<Opened>()
  const { value } = texts
  /** Operators' factors are set up on the server. */
  const isOperator = who.role === "admin"
  const close = () => setOpened(undefined)
  const done = (text: string) => () => {
    close()
    notify(text)
  }
  return (
    <Card title={value.title}>
      <div class="form">
        <Facts
          of={[
            [
              value.twoFactor,
              <span key="state" class={`status ${who.twoFactorEnabled ? "good" : "waiting"}`}>
                {who.twoFactorEnabled ? value.on : value.off}
              </span>,
            ],
          ]}
        />
        {isOperator ? (
          <p class="muted">{value.operator}</p>
        ) : (
          !who.twoFactorEnabled && <p class="muted">{value.why}</p>
        )}
        <div class="settings-buttons">
          {who.twoFactorEnabled && (
            <Button data-testid="backup-codes-new" onClick={() => setOpened("codes")}>
              {value.newCodes}
            </Button>
          )}
          {who.twoFactorEnabled && !isOperator && (
            <Button kind="danger" data-testid="two-factor-disable" onClick={() => setOpened("off")}>
              {value.disable}
            </Button>
          )}
          {!who.twoFactorEnabled && !isOperator && (
            <Button kind="primary" data-testid="two-factor-enable" onClick={() => setOpened("enrolment")}>
              {value.enable}
            </Button>
          )}
          <Button data-testid="password-change" onClick={() => setOpened("password")}>
            {value.change}
          </Button>
        </div>
      </div>
      {opened === "password" && <PasswordDialog onClose={close} onDone={done(value.passwordChanged)} />}
      {opened === "enrolment" && <EnrolmentDialog onClose={close} onDone={done(value.enabled)} />}
      {opened === "codes" && <NewCodesDialog onClose={close} onDone={done(value.codesMade)} />}
      {opened === "off" && <TwoFactorOffDialog onClose={close} />}
    </Card>
  )
}
