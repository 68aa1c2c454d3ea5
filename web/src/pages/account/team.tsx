import { useEffect, useState } from "preact/hooks"
import type { Member } from "../../../../schema/resources/member.ts"
import { useEvery } from "../../api/every.ts"
import { call } from "../../api/http.ts"
import { failureOf, useRead } from "../../api/resource.ts"
import { user } from "../../api/session.ts"
import { failureText } from "../../text/failures.ts"
import { formatDate, formatMoney } from "../../text/format.ts"
import { mayDo, roleNames } from "../../text/roles.ts"
import { Button } from "../../ui/button.tsx"
import { Icon } from "../../ui/icons.tsx"
import { Menu } from "../../ui/menu.tsx"
import { notify } from "../../ui/notice.tsx"
import { isReady, Page, Shown } from "../../ui/page.tsx"
import { Cell, Table, TableRow } from "../../ui/table.tsx"
import { Foreign, TrueWhen } from "../../ui/values.tsx"
import "../../styles/account.css"
import { isInvited, type TeamAct, TeamDialog } from "./teamDialogs.tsx"
import { roleTextWith, teamTexts } from "./teamTexts.ts"

const tones = { invited: "waiting", expired: "bad", active: "good", disabled: "bad" } as const

interface RowProps {
  readonly of: Member
  readonly onAct: (act: TeamAct) => void
  readonly onChanged: () => void
}

const Acts = ({ of, onAct, onChanged }: RowProps) => {
  const { value } = teamTexts
  const resend = async () => {
    try {
      await call("POST /v1/me/members/:id/resend", { params: { id: of.id } })
      notify(value.resent)
      onChanged()
    } catch (error) {
      notify(failureText(failureOf(error)))
    }
  }
  const act = (kind: "change" | "remove" | "transfer") => () => onAct({ kind, of })
  return (
    <Menu
      label={`${value.acts}: ${of.name ?? of.email}`}
      testId="member-acts"
      entries={[
        { name: value.change, onClick: act("change"), testId: "member-change" },
        ...(isInvited(of) ? [{ name: value.resend, onClick: resend, testId: "member-resend" }] : []),
        ...(of.status === "active"
          ? [{ name: value.transfer, onClick: act("transfer"), testId: "member-transfer" }]
          : []),
        {
          name: isInvited(of) ? value.revoke : value.remove,
          onClick: act("remove"),
          testId: "member-remove",
        },
      ]}
    />
  )
}

/** The role, and what a limit makes of it. */
const RoleOf = ({ of }: { readonly of: Member }) => {
  const { value } = teamTexts
  const limit = of.refund_limit
  const name = roleNames.value[of.role]
  if (limit === null) return <>{name}</>
  return (
    <>
      {name}, {limit === 0 ? value.noLimit : value.upTo(formatMoney(limit))}
    </>
  )
}

const Row = ({ of, onAct, onChanged }: RowProps) => {
  const { value } = teamTexts
  const isYou = of.email === user.value?.email
  return (
    <TableRow data-testid="member-row" data-id={of.id} data-status={of.status}>
      <Cell place="title" label={value.name}>
        <div>
          <Foreign>{of.name ?? of.email}</Foreign>
          {isYou && <span class="muted"> ({value.you})</span>}
          {of.name !== null && (
            <small class="second-line">
              <Foreign>{of.email}</Foreign>
            </small>
          )}
          {of.two_factor_enabled === false && <small class="second-line">{value.noFactor}</small>}
        </div>
      </Cell>
      <Cell place="state" label={value.status}>
        <span class={`status ${tones[of.status]}`}>{value.statuses[of.status]}</span>
      </Cell>
      <Cell place="note" label={value.role}>
        <RoleOf of={of} />
      </Cell>
      <Cell place="when" label={value.seen}>
        {of.last_seen_at === null ? (
          <span class="muted">
            {of.status === "invited" && of.expires_at !== null
              ? `${value.until} ${formatDate(of.expires_at)}`
              : value.never}
          </span>
        ) : (
          <TrueWhen at={of.last_seen_at} />
        )}
      </Cell>
      <Cell place="buttons" label={value.acts}>
        {of.role !== "owner" && mayDo("owning") && <Acts of={of} onAct={onAct} onChanged={onChanged} />}
        {of.role !== "owner" && isYou && (
          <Button kind="quiet" onClick={() => onAct({ kind: "leave" })} data-testid="team-leave">
            {value.leave}
          </Button>
        )}
      </Cell>
    </TableRow>
  )
}

/** What the user itself may do, where it is not everything. */
const YourRole = () => {
  const role = user.value?.seller_role ?? "owner"
  const { value } = teamTexts
  if (role === "owner") return null
  return (
    <p class="role-note" data-testid="your-role" data-role={role}>
      {value.yours}: <strong>{roleNames.value[role]}</strong>.{" "}
      {roleTextWith(role, user.value?.refund_limit ?? null)} {value.onlyOwner}
    </p>
  )
}

const refreshMillis = 15_000

/** The seller's team: who uses the account, and what each may do. */
export default () => {
  const members = useRead("GET /v1/me/members", {})
  const [act, setAct] = useState<TeamAct>()
  const { value } = teamTexts
  const reload = () => void members.reload()
  // The feed has no events of the team: who joins meanwhile is seen by the clock, and by whoever comes back to the window.
  useEvery(refreshMillis, members.refresh)
  useEffect(() => {
    addEventListener("focus", members.refresh)
    return () => removeEventListener("focus", members.refresh)
  }, [members])
  return (
    <Page
      title={value.title}
      lead={value.lead}
      back={{ to: "/settings", name: value.settings }}
      ready={isReady(members)}
      actions={
        <Button
          kind="primary"
          needs="owning"
          data-testid="member-invite"
          onClick={() => setAct({ kind: "invite" })}
        >
          <Icon name="plus" /> {value.invite}
        </Button>
      }
    >
      <YourRole />
      <section class="list">
        <Shown of={members}>
          {({ data }) => (
            <Table
              label={value.title}
              columns={[value.name, value.status, value.role, value.seen, { right: value.acts }]}
            >
              {data.map((member) => (
                <Row key={member.id} of={member} onAct={setAct} onChanged={reload} />
              ))}
            </Table>
          )}
        </Shown>
      </section>
      {act !== undefined && (
        <TeamDialog
          act={act}
          onClose={() => setAct(undefined)}
          onDone={() => {
            setAct(undefined)
            reload()
          }}
        />
      )}
    </Page>
  )
}
