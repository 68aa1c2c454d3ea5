import { formLimits } from "../../../../schema/formLimits.ts"
import { inviteStatuses } from "../../../../schema/names.ts"
import type { Invite } from "../../../../schema/resources/operator.ts"
import { call } from "../../api/http.ts"
import { useList } from "../../api/resource.ts"
import { queryChoice } from "../../app/router.tsx"
import { textsOf } from "../../text/i18n.ts"
import { dayMillis } from "../../text/spans.ts"
import { statusText } from "../../text/statuses.ts"
import { Button } from "../../ui/button.tsx"
import { Empty } from "../../ui/feedback.tsx"
import { Field, textOf } from "../../ui/form.tsx"
import { isReady, Page } from "../../ui/page.tsx"
import { Cell, ListTable, TableRow } from "../../ui/table.tsx"
import { Foreign, Status, When } from "../../ui/values.tsx"
import { type Act, useAct } from "./acts.tsx"
import { StatusFilter } from "./parts.tsx"
import { useRefreshing } from "./refreshing.ts"

const days = formLimits.inviteTokenMillis / dayMillis

const texts = textsOf({
  "pt-BR": {
    title: "Convites",
    empty: "Nenhum convite",
    emptyWhy: `Convide alguém por e-mail: o link do convite vale por ${days} dias.`,
    invite: "Convidar",
    email: "E-mail",
    inviteText: `Um e-mail com o link de cadastro é enviado a este endereço. O link vale por ${days} dias.`,
    invited: "Convite enviado.",
    revoke: "Revogar",
    revokeTitle: "Revogar convite",
    revokeText: "O link enviado deixa de funcionar na hora. Para convidar de novo, envie outro convite.",
    revoked: "Convite revogado.",
    status: "Situação",
    // An invite is masculine, where charges that expire are not.
    expired: "Expirado",
    created: "Enviado",
    expires: "Vale até",
    used: "Usado",
    acts: "Ações",
  },
  en: {
    title: "Invites",
    empty: "No invites",
    emptyWhy: `Invite someone by e-mail: the link is valid for ${days} days.`,
    invite: "Invite",
    email: "E-mail",
    inviteText: `An e-mail with the sign-up link goes to this address. The link is valid for ${days} days.`,
    invited: "Invite sent.",
    revoke: "Revoke",
    revokeTitle: "Revoke the invite",
    revokeText: "The link that was sent stops working at once. To invite again, send another invite.",
    revoked: "Invite revoked.",
    status: "Status",
    expired: "Expired",
    created: "Sent",
    expires: "Valid until",
    used: "Used",
    acts: "Acts",
  },
})

const wordOf = (status: string): string => (status === "expired" ? texts.value.expired : statusText(status))

const pageSize = 25

const invitation = (): Act => ({
  title: texts.value.invite,
  explanation: <p>{texts.value.inviteText}</p>,
  submit: texts.value.invite,
  reason: "none",
  fields: (
    <Field
      label={texts.value.email}
      name="email"
      type="email"
      required
      autofocus
      autocomplete="off"
      data-testid="email-input"
    />
  ),
  perform: (_body, values) => call("POST /v1/admin/invites", { body: { email: textOf(values, "email") } }),
  done: texts.value.invited,
})

const revocation = ({ id, email }: Invite): Act => ({
  title: texts.value.revokeTitle,
  explanation: (
    <>
      <p>
        <Foreign>{email}</Foreign>
      </p>
      <p>{texts.value.revokeText}</p>
    </>
  ),
  submit: texts.value.revoke,
  isDanger: true,
  reason: "none",
  perform: () => call("DELETE /v1/admin/invites/:id", { params: { id } }),
  done: texts.value.revoked,
})

const Row = ({ of: invite, ask }: { readonly of: Invite; readonly ask: (act: Act) => void }) => (
  <TableRow data-testid="invite-row" data-id={invite.id} data-status={invite.status}>
    <Cell place="title" label={texts.value.email}>
      <Foreign>{invite.email}</Foreign>
    </Cell>
    <Cell place="state" label={texts.value.status}>
      <Status status={invite.status} word={wordOf(invite.status)} />
    </Cell>
    <Cell place="when" label={texts.value.created}>
      <When at={invite.created_at} />
    </Cell>
    <Cell place="extra" label={texts.value.expires}>
      <When at={invite.expires_at} />
    </Cell>
    <Cell place="extra" label={texts.value.used}>
      <When at={invite.used_at} />
    </Cell>
    <Cell place="buttons" label={texts.value.acts}>
      {invite.status === "pending" && (
        <Button data-testid="revoke" onClick={() => ask(revocation(invite))}>
          {texts.value.revoke}
        </Button>
      )}
    </Cell>
  </TableRow>
)

/** Whom operators invited to sign up. */
export default () => {
  const list = useList("GET /v1/admin/invites", {
    query: { status: queryChoice("status", inviteStatuses), limit: pageSize },
  })
  useRefreshing(list)
  const { ask, dialog } = useAct(list.reload)
  const { value } = texts
  return (
    <Page
      title={value.title}
      ready={isReady(list)}
      actions={
        <Button kind="primary" data-testid="invite-create" onClick={() => ask(invitation())}>
          {value.invite}
        </Button>
      }
    >
      <div class="filters">
        <StatusFilter statuses={inviteStatuses} wordOf={wordOf} />
      </div>
      <ListTable
        of={list}
        label={value.title}
        columns={[value.email, value.status, value.created, value.expires, value.used, { right: value.acts }]}
        empty={<Empty title={value.empty}>{value.emptyWhy}</Empty>}
      >
        {(invite) => <Row key={invite.id} of={invite} ask={ask} />}
      </ListTable>
      {dialog}
    </Page>
  )
}
