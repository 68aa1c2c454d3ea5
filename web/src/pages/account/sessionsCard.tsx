import type { SessionResource } from "../../../../schema/resources/account.ts"
import { call } from "../../api/http.ts"
import { failureOf, type Resource } from "../../api/resource.ts"
import { failureText } from "../../text/failures.ts"
import { textsOf } from "../../text/i18n.ts"
import { Button } from "../../ui/button.tsx"
import { notify } from "../../ui/notice.tsx"
import { Card, Shown } from "../../ui/page.tsx"
import { Cell, Table, TableRow } from "../../ui/table.tsx"
import { Foreign, TrueWhen } from "../../ui/values.tsx"
import { deviceOf } from "./rules.ts"

const texts = textsOf({
  "pt-BR": {
    title: "Sessões abertas",
    device: "Dispositivo",
    address: "Endereço",
    seen: "Último uso",
    began: "Início",
    current: "Esta sessão",
    unknown: "Dispositivo desconhecido",
    end: "Encerrar",
    act: "Ação",
    endOf: (device: string) => `Encerrar a sessão em ${device}`,
    endOthers: "Encerrar todas as outras",
    ended: "Sessão encerrada.",
    othersEnded: "Todas as outras sessões foram encerradas.",
  },
  en: {
    title: "Open sessions",
    device: "Device",
    address: "Address",
    seen: "Last used",
    began: "Signed in",
    current: "This session",
    unknown: "Unknown device",
    end: "End",
    act: "Action",
    endOf: (device: string) => `End the session on ${device}`,
    endOthers: "End all others",
    ended: "The session has ended.",
    othersEnded: "All other sessions have ended.",
  },
})

type Sessions = Resource<{ readonly data: ReadonlyArray<SessionResource> }>

interface RowProps {
  readonly session: SessionResource
  readonly onEnd: () => Promise<void>
}

const Row = ({ session, onEnd }: RowProps) => {
  const { value } = texts
  const device = deviceOf(session.user_agent, value.unknown)
  return (
    <TableRow data-testid="session-row" data-id={session.id}>
      <Cell place="title" label={value.device}>
        <span title={session.user_agent ?? undefined}>{device}</span>
        {device === value.unknown && session.user_agent && (
          <small class="second-line">
            <Foreign>{session.user_agent.slice(0, 60)}</Foreign>
          </small>
        )}
      </Cell>
      <Cell place="note" label={value.address}>
        <Foreign>{session.ip_address ?? "—"}</Foreign>
      </Cell>
      <Cell place="when" label={value.seen}>
        <TrueWhen at={session.last_seen_at} />
      </Cell>
      <Cell place="extra" label={value.began}>
        <TrueWhen at={session.created_at} />
      </Cell>
      <Cell place="buttons" label={value.act}>
        {session.current ? (
          <span class="status good">{value.current}</span>
        ) : (
          <Button class="copy" data-testid="session-end" aria-label={value.endOf(device)} onClick={onEnd}>
            {value.end}
          </Button>
        )}
      </Cell>
    </TableRow>
  )
}

/** The user's sessions, newest first, each of which can be ended from here. */
export const SessionsCard = ({ sessions }: { readonly sessions: Sessions }) => {
  const { value } = texts
  const act = async (request: () => Promise<unknown>, done: string) => {
    try {
      await request()
      notify(done)
    } catch (error) {
      notify(failureText(failureOf(error)))
    }
    await sessions.reload()
  }
  const hasOthers = sessions.value.value?.data.some(({ current }) => !current) ?? false
  return (
    <Card
      title={value.title}
      actions={
        hasOthers && (
          <Button
            data-testid="sessions-end-others"
            onClick={() => act(() => call("POST /v1/me/auth/revoke-other-sessions"), value.othersEnded)}
          >
            {value.endOthers}
          </Button>
        )
      }
    >
      <Shown of={sessions}>
        {({ data }) => (
          <Table
            label={value.title}
            columns={[value.device, value.address, value.seen, value.began, { right: value.act }]}
          >
            {data.map((session) => (
              <Row
                key={session.id}
                session={session}
                onEnd={() =>
                  act(() => call("DELETE /v1/me/sessions/:id", { params: { id: session.id } }), value.ended)
                }
              />
            ))}
          </Table>
        )}
      </Shown>
    </Card>
  )
}
