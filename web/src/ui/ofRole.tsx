import type { ComponentChildren } from "preact"
import type { MemberAct } from "../../../schema/memberRoles.ts"
import { denial } from "../text/roles.ts"

interface OfRoleProps {
  /** What its fields take of the user's role in the team. */
  readonly act: MemberAct
  readonly children: ComponentChildren
}

/** Fields that a role may only look at: they are disabled then, below a sentence that says why. */
export const OfRole = ({ act, children }: OfRoleProps) => {
  const why = denial(act)
  if (why === undefined) return <>{children}</>
  return (
    <>
      <p class="role-note" data-testid="role-note" data-denied={act}>
        {why}
      </p>
      <fieldset class="of-role" disabled>
        {children}
      </fieldset>
    </>
  )
}
