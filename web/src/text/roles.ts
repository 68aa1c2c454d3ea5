import { type MemberAct, type MemberRole, may, rolesFor } from "../../../schema/memberRoles.ts"
import { user } from "../api/session.ts"
import { textsOf } from "./i18n.ts"

/** What roles are called. */
export const roleNames = textsOf<Readonly<Record<MemberRole, string>>>({
  "pt-BR": {
    owner: "Titular",
    finance: "Financeiro",
    developer: "Desenvolvedor",
    support: "Atendimento",
    viewer: "Leitura",
  },
  en: { owner: "Owner", finance: "Finance", developer: "Developer", support: "Support", viewer: "Viewer" },
})

const texts = textsOf({
  "pt-BR": {
    why: (role: string, roles: string) => `A sua função (${role}) não permite isto. Quem pode: ${roles}.`,
    noRefunds: "O titular ainda não definiu até quanto você pode devolver.",
  },
  en: {
    why: (role: string, roles: string) => `Your role (${role}) does not allow this. Roles that do: ${roles}.`,
    noRefunds: "You cannot refund until the owner sets your limit.",
  },
})

/** Roles in a sentence: `titular, financeiro`. */
export const namesOf = (roles: ReadonlyArray<MemberRole>): string =>
  roles.map((role) => (roleNames.value[role] ?? role).toLocaleLowerCase()).join(", ")

const whyNot = (role: MemberRole, act: MemberAct, refundLimit: number | null): string | undefined => {
  const { value } = texts
  if (!may(role, act)) return value.why(namesOf([role]), namesOf(rolesFor[act]))
  return act === "refunding" && refundLimit === 0 ? value.noRefunds : undefined
}

/** Why the user's role in the team does not allow something; undefined where it does, and for operators (docs/contract/members.md#roles). */
export const denial = (act: MemberAct): string | undefined => {
  const { seller_role: role = null, refund_limit: limit = null } = user.value ?? {}
  return role === null ? undefined : whyNot(role, act, limit)
}

/** Whether the user's role in the team allows something. */
export const mayDo = (act: MemberAct): boolean => denial(act) === undefined
