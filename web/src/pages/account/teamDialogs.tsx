import { useState } from "preact/hooks"
import { parseAmount } from "../../../../schema/amountText.ts"
import { formLimits } from "../../../../schema/formLimits.ts"
import { type GivenRole, givenRoles } from "../../../../schema/memberRoles.ts"
import type { Member } from "../../../../schema/resources/member.ts"
import { refusal } from "../../api/creation.ts"
import { call } from "../../api/http.ts"
import { failureOf } from "../../api/resource.ts"
import { user } from "../../api/session.ts"
import { formatAmountInput } from "../../text/amount.ts"
import { explain } from "../../text/failures.ts"
import { roleNames } from "../../text/roles.ts"
import { Dialog } from "../../ui/dialog.tsx"
import { AmountField, Field, Form, textOf } from "../../ui/form.tsx"
import { notify } from "../../ui/notice.tsx"
import { isGiven, roleTexts, teamTexts } from "./teamTexts.ts"

/** What is being done to the team; each has its dialog. */
export type TeamAct =
  | { readonly kind: "invite" | "leave" }
  | { readonly kind: "change" | "remove" | "transfer"; readonly of: Member }

const whoOf = ({ name, email }: Member): string => name ?? email

interface RoleFieldsProps {
  readonly role: GivenRole
  readonly onRole: (role: GivenRole) => void
  /** Centavos that the limit begins with; undefined: the role has none here. */
  readonly limit?: number | undefined
}

/** One role of all that can be given, and the limit of those who have one. */
const RoleFields = ({ role, onRole, limit }: RoleFieldsProps) => {
  const { value } = teamTexts
  return (
    <>
      <fieldset class="role-choice">
        <legend>{value.role}</legend>
        {givenRoles.map((one) => (
          <label key={one} class="role-option">
            <input
              type="radio"
              name="role"
              value={one}
              checked={role === one}
              onChange={() => onRole(one)}
              data-testid={`role-${one}`}
            />
            <span>
              <strong>{roleNames.value[one]}</strong>
              <small>{roleTexts.value[one]}</small>
            </span>
          </label>
        ))}
      </fieldset>
      {role === "support" && limit !== undefined && (
        <AmountField
          label={value.limit}
          hint={value.limitHint}
          name="limit"
          required
          defaultValue={limit === 0 ? "" : formatAmountInput(limit)}
        />
      )}
    </>
  )
}

const limitIn = (values: FormData, role: GivenRole) => {
  if (role !== "support") return {}
  const limit = parseAmount(textOf(values, "limit"))
  if (limit === undefined || limit > formLimits.amountMax) throw refusal(teamTexts.value.badLimit)
  return { refund_limit: limit }
}

/** Runs an act of the team, and says in its words why it was refused. */
const inTeamWords = async <A,>(act: Promise<A>): Promise<A> => {
  try {
    return await act
  } catch (cause) {
    const error = failureOf(cause)
    const { value } = teamTexts
    if (error.code === "invalid_state" && error.param === "email") throw explain(error, value.inTeam)
    if (error.code === "invalid_state" && error.details?.limit !== undefined) throw explain(error, value.full)
    if (error.code === "validation_failed" && error.param === "email") throw explain(error, value.badEmail)
    throw error
  }
}

interface DialogProps {
  readonly onClose: () => void
  readonly onDone: (text: string) => void
}

const Invite = ({ onClose, onDone }: DialogProps) => {
  const [role, setRole] = useState<GivenRole>("viewer")
  const { value } = teamTexts
  const send = async (values: FormData) => {
    const body = { email: textOf(values, "email"), role, ...limitIn(values, role) }
    await inTeamWords(call("POST /v1/me/members", { body }))
    onDone(value.invited)
  }
  return (
    <Dialog title={value.inviteTitle} onClose={onClose}>
      <Form submit={value.submitInvite} onSubmit={send} onCancel={onClose}>
        <Field
          label={value.email}
          hint={value.inviteText}
          name="email"
          type="email"
          required
          autofocus
          autocomplete="off"
          maxLength={formLimits.customerEmailLengthMax}
          data-testid="email-input"
        />
        <RoleFields role={role} onRole={setRole} limit={0} />
      </Form>
    </Dialog>
  )
}

const Change = ({ of, onClose, onDone }: DialogProps & { readonly of: Member }) => {
  const [role, setRole] = useState<GivenRole>(isGiven(of.role) ? of.role : "viewer")
  const { value } = teamTexts
  const send = async (values: FormData) => {
    const body = { role, ...limitIn(values, role) }
    await call("PATCH /v1/me/members/:id", { params: { id: of.id }, body, isRepeatable: true })
    onDone(value.changed)
  }
  return (
    <Dialog title={value.changeTitle(whoOf(of))} onClose={onClose}>
      <Form submit={value.save} onSubmit={send} onCancel={onClose}>
        <RoleFields role={role} onRole={setRole} limit={of.refund_limit ?? 0} />
      </Form>
    </Dialog>
  )
}

/** Whether nobody has accepted the invitation yet. */
export const isInvited = ({ status }: Member): boolean => status === "invited" || status === "expired"

const readMember = async (id: string): Promise<Member | undefined> =>
  (await call("GET /v1/me/members")).data.find((member) => member.id === id)

/** Revokes an invitation or removes a member, and asks anew where the invitation was accepted while the page was open. */
const Remove = ({ of: shown, onClose, onDone }: DialogProps & { readonly of: Member }) => {
  const [of, setOf] = useState(shown)
  const { value } = teamTexts
  const isOpen = isInvited(of)
  const send = async () => {
    const query = { expected: isOpen ? ("invitation" as const) : ("member" as const) }
    try {
      await call("DELETE /v1/me/members/:id", { params: { id: of.id }, query })
    } catch (cause) {
      const now = failureOf(cause).code === "invalid_state" ? await readMember(of.id) : undefined
      if (now === undefined || isInvited(now) === isOpen) throw cause
      setOf(now)
      throw refusal(value.accepted(whoOf(now)))
    }
    onDone(isOpen ? value.revoked : value.removed)
  }
  return (
    <Dialog title={isOpen ? value.revoke : value.removeTitle(whoOf(of))} onClose={onClose}>
      <Form submit={isOpen ? value.revoke : value.remove} danger onSubmit={send} onCancel={onClose}>
        <p>{isOpen ? value.revokeText : value.removeText}</p>
      </Form>
    </Dialog>
  )
}

const Leave = ({ onClose }: DialogProps) => {
  const { value } = teamTexts
  const send = async () => {
    await call("POST /v1/me/members/leave")
    // The user is in nobody's team now, and every page says so.
    const session = await call("GET /v1/me/auth/get-session")
    user.value = session?.user ?? null
  }
  return (
    <Dialog title={value.leaveTitle} onClose={onClose}>
      <Form submit={value.leave} danger onSubmit={send} onCancel={onClose}>
        <p>{value.leaveText}</p>
      </Form>
    </Dialog>
  )
}

const Transfer = ({ of, onClose, onDone }: DialogProps & { readonly of: Member }) => {
  const [role, setRole] = useState<GivenRole>("finance")
  const { value } = teamTexts
  const send = async () => {
    await call("POST /v1/me/members/:id/transfer-ownership", { params: { id: of.id }, body: { role } })
    const session = await call("GET /v1/me/auth/get-session")
    user.value = session?.user ?? null
    onDone(value.transferred)
  }
  return (
    <Dialog title={value.transferTitle(whoOf(of))} onClose={onClose}>
      <Form submit={value.transfer} danger onSubmit={send} onCancel={onClose}>
        <p>{value.transferText}</p>
        <p class="muted">{value.transferYou}:</p>
        <RoleFields role={role} onRole={setRole} />
      </Form>
    </Dialog>
  )
}

interface TeamDialogProps {
  readonly act: TeamAct
  readonly onClose: () => void
  /** The act was done: the team is to be read again. */
  readonly onDone: () => void
}

/** The dialog of an act on the team. */
export const TeamDialog = ({ act, onClose, onDone }: TeamDialogProps) => {
  const rest = {
    onClose,
    onDone: (text: string) => {
      onDone()
      notify(text)
    },
  }
  switch (act.kind) {
    case "invite":
      return <Invite {...rest} />
    case "change":
      return <Change of={act.of} {...rest} />
    case "remove":
      return <Remove of={act.of} {...rest} />
    case "leave":
      return <Leave {...rest} />
    case "transfer":
      return <Transfer of={act.of} {...rest} />
  }
}
