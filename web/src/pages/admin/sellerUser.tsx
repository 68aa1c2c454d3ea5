import type { OperatorUser } from "../../../../schema/resources/operator.ts"
import { call } from "../../api/http.ts"
import { useRead } from "../../api/resource.ts"
import { textsOf } from "../../text/i18n.ts"
import { Button } from "../../ui/button.tsx"
import { Card, Facts, Shown } from "../../ui/page.tsx"
import { Code, Foreign, Moment, Status } from "../../ui/values.tsx"
import { type Act, useAct } from "./acts.tsx"

const texts = textsOf({
  "pt-BR": {
    title: "Acesso ao painel",
    nobody: "Este vendedor não tem usuário.",
    email: "E-mail",
    name: "Nome",
    status: "Situação",
    disabledSince: "Desativado desde",
    secondFactor: "Segundo fator",
    on: "Ativado",
    off: "Desativado",
    id: "Id",
    endSessions: "Encerrar sessões",
    endSessionsText:
      "sai do painel em todos os aparelhos agora mesmo, e nenhum deles continua confiável. Pode entrar de novo com senha e verificação em duas etapas.",
    sessionsEnded: "Sessões encerradas.",
    disable: "Desativar acesso",
    disableText:
      "sai do painel em todos os aparelhos agora mesmo e não consegue mais entrar. As chaves de API continuam valendo: para pará-las, suspenda o vendedor.",
    disabled: "Acesso desativado.",
    enable: "Reativar acesso",
    enableText: "volta a poder entrar, com a senha e a verificação em duas etapas que já tinha.",
    enabled: "Acesso reativado.",
  },
  en: {
    title: "Access to the dashboard",
    nobody: "This seller has no user.",
    email: "E-mail",
    name: "Name",
    status: "Status",
    disabledSince: "Disabled since",
    secondFactor: "Second factor",
    on: "On",
    off: "Off",
    id: "Id",
    endSessions: "End sessions",
    endSessionsText:
      "is signed out on all devices at once, and none of them is trusted any more. They may sign in again with password and second factor.",
    sessionsEnded: "Sessions ended.",
    disable: "Disable",
    disableText:
      "is signed out on all devices at once, and can no longer sign in. API keys go on: suspend the seller to stop them.",
    disabled: "User disabled.",
    enable: "Enable",
    enableText: "may sign in again, with the password and second factor they had.",
    enabled: "User enabled.",
  },
})

const actOf = (
  { id, email }: OperatorUser,
  route: "disable" | "enable" | "end-sessions",
  [title, text, done]: readonly [title: string, text: string, done: string],
): Act => ({
  title,
  explanation: (
    <p>
      <strong>
        <Foreign>{email}</Foreign>
      </strong>{" "}
      {text}
    </p>
  ),
  submit: title,
  isDanger: route !== "enable",
  reason: route === "enable" ? "optional" : "required",
  perform: (body) => call(`POST /v1/admin/users/:id/${route}`, { params: { id }, body }),
  done,
})

const Acts = ({ user, ask }: { readonly user: OperatorUser; readonly ask: (act: Act) => void }) => {
  const { value } = texts
  const endSessions = [value.endSessions, value.endSessionsText, value.sessionsEnded] as const
  const disable = [value.disable, value.disableText, value.disabled] as const
  const enable = [value.enable, value.enableText, value.enabled] as const
  if (user.status === "disabled") {
    return (
      <div class="row-acts">
        <Button data-testid="user-enable" onClick={() => ask(actOf(user, "enable", enable))}>
          {value.enable}
        </Button>
      </div>
    )
  }
  return (
    <div class="row-acts">
      <Button data-testid="user-end-sessions" onClick={() => ask(actOf(user, "end-sessions", endSessions))}>
        {value.endSessions}
      </Button>
      <Button kind="danger" data-testid="user-disable" onClick={() => ask(actOf(user, "disable", disable))}>
        {value.disable}
      </Button>
    </div>
  )
}

const UserFacts = ({ user }: { readonly user: OperatorUser }) => {
  const { value } = texts
  return (
    <Facts
      of={[
        [value.email, <Foreign key="email">{user.email}</Foreign>],
        [value.name, <Foreign key="name">{user.name}</Foreign>],
        [value.status, <Status key="status" status={user.status} testId="user-status" />],
        ...(user.disabled_at === null
          ? []
          : [[value.disabledSince, <Moment key="since" at={user.disabled_at} />] as const]),
        [value.secondFactor, user.two_factor_enabled ? value.on : value.off],
        [value.id, <Code key="id">{user.id}</Code>],
      ]}
    />
  )
}

/** Who signs in for a seller, and what shuts them out. */
export const UserCard = ({ sellerId }: { readonly sellerId: string }) => {
  const users = useRead("GET /v1/admin/users", { query: { seller_id: sellerId } })
  const { ask, dialog } = useAct(users.reload)
  return (
    <Card title={texts.value.title}>
      <Shown of={users}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="muted">{texts.value.nobody}</p>
          ) : (
            data.map((user) => (
              <div key={user.id} class="form" data-testid="seller-user" data-id={user.id}>
                <UserFacts user={user} />
                <Acts user={user} ask={ask} />
              </div>
            ))
          )
        }
      </Shown>
      {dialog}
    </Card>
  )
}
