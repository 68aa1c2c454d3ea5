import { formLimits } from "../../../../schema/formLimits.ts"
import type { GivenRole, MemberRole } from "../../../../schema/memberRoles.ts"
import { formatMoney } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { dayMillis } from "../../text/spans.ts"

const days = formLimits.inviteTokenMillis / dayMillis

/** What each role may do, in a line. */
export const roleTexts = textsOf<Readonly<Record<MemberRole, string>>>({
  "pt-BR": {
    owner: "Tudo: dados da conta, chaves de produção, equipe.",
    finance: "Saques, chaves Pix, devoluções, cobranças e relatórios.",
    developer: "Webhooks, entregas, chaves de teste e cobranças.",
    support: "Devoluções até um limite, anotações e comprovantes.",
    viewer: "Vê tudo e não muda nada.",
  },
  en: {
    owner: "Everything, including account details, live keys and the team.",
    finance: "Withdrawals, Pix keys, refunds, charges and reports.",
    developer: "Webhooks, deliveries, test keys and charges.",
    support: "Refunds up to a limit, notes and receipts.",
    viewer: "Sees everything and changes nothing.",
  },
})

const supportTexts = textsOf({
  "pt-BR": {
    upTo: (limit: string) => `Devoluções de até ${limit} cada, anotações e comprovantes.`,
    none: "Anotações e comprovantes; devoluções, só depois de receber um limite.",
  },
  en: {
    upTo: (limit: string) => `Refunds of up to ${limit} each, notes and receipts.`,
    none: "Notes and receipts; refunds only once given a limit.",
  },
})

/** What somebody with a role may do, with the limit of those who have one. */
export const roleTextWith = (role: MemberRole, limit: number | null): string => {
  if (limit === null) return roleTexts.value[role]
  return limit === 0 ? supportTexts.value.none : supportTexts.value.upTo(formatMoney(limit))
}

/** The words of the team's page and of its dialogs. */
export const teamTexts = textsOf({
  "pt-BR": {
    title: "Equipe",
    lead: "Cada pessoa entra com a própria senha e vê a conta inteira; a função diz o que ela pode fazer.",
    settings: "Configurações",
    you: "você",
    name: "Pessoa",
    role: "Função",
    status: "Situação",
    seen: "Último acesso",
    acts: "Ações",
    never: "ainda não",
    statuses: {
      invited: "Convite enviado",
      expired: "Convite expirado",
      active: "Com acesso",
      disabled: "Acesso bloqueado",
    },
    until: "vale até",
    upTo: (limit: string) => `até ${limit}`,
    noLimit: "não devolve até ter um limite",
    noFactor: "Sem verificação em duas etapas: só vê",
    invite: "Convidar",
    inviteTitle: "Convidar para a equipe",
    inviteText: `Enviamos um link que vale por ${days} dias e só para este endereço.`,
    email: "E-mail",
    submitInvite: "Enviar convite",
    invited: "Convite enviado.",
    limit: "Limite por devolução",
    limitHint:
      "Vale para cada devolução, não para a soma delas. Maiores ficam com o titular ou o financeiro.",
    badLimit: "Escreva o limite em reais, como 500,00.",
    change: "Mudar função",
    changeTitle: (who: string) => `Função de ${who}`,
    save: "Salvar",
    changed: "Função alterada. Vale a partir de agora.",
    resend: "Reenviar convite",
    resent: "Convite reenviado. O link anterior não vale mais.",
    remove: "Remover",
    revoke: "Revogar convite",
    removeTitle: (who: string) => `Remover ${who}`,
    removeText: "Essa pessoa perde o acesso na hora. O que ela já fez na conta permanece.",
    revokeText: "O link enviado deixa de funcionar na hora.",
    accepted: (who: string) =>
      `${who} aceitou o convite e já está na equipe. Confirme se quer remover o acesso.`,
    removed: "Acesso removido da equipe.",
    revoked: "Convite revogado.",
    leave: "Sair da equipe",
    leaveTitle: "Sair da equipe?",
    leaveText:
      "Você perde o acesso na hora, e o titular recebe um aviso. O que você já fez na conta permanece. Para voltar, só com um novo convite.",
    transfer: "Passar a titularidade",
    transferTitle: (who: string) => `Passar a titularidade a ${who}`,
    transferText:
      "Essa pessoa passa a controlar tudo: dados da conta, chaves de produção, equipe. Só ela pode devolver a titularidade.",
    transferYou: "Sua função passa a ser",
    transferred: "Titularidade transferida.",
    inTeam: "Este endereço já está na equipe ou já foi convidado.",
    full: `A equipe está cheia: são no máximo ${formLimits.membersMax} pessoas e convites.`,
    badEmail: "Use um endereço de e-mail válido.",
    yours: "Sua função",
    onlyOwner: "Só o titular convida, remove e muda funções.",
  },
  en: {
    title: "Team",
    lead: "Everyone signs in with their own password and sees the whole account. Their role decides what they can do.",
    settings: "Settings",
    you: "you",
    name: "Person",
    role: "Role",
    status: "Status",
    seen: "Last seen",
    acts: "Actions",
    never: "not yet",
    statuses: { invited: "Invited", expired: "Invitation expired", active: "Active", disabled: "Blocked" },
    until: "valid until",
    upTo: (limit: string) => `up to ${limit}`,
    noLimit: "no refunds until a limit is set",
    noFactor: "No two-factor authentication: can only view",
    invite: "Invite",
    inviteTitle: "Invite to the team",
    inviteText: `We send a link that works for ${days} days and only for this address.`,
    email: "E-mail",
    submitInvite: "Send invitation",
    invited: "Invitation sent.",
    limit: "Limit per refund",
    limitHint: "It bounds each refund, not their sum. Larger ones are for the owner or finance.",
    badLimit: "Enter the limit in reais, such as 500.00.",
    change: "Change role",
    changeTitle: (who: string) => `Role of ${who}`,
    save: "Save",
    changed: "Role changed. It applies from now on.",
    resend: "Send invitation again",
    resent: "Invitation sent again. The previous link no longer works.",
    remove: "Remove",
    revoke: "Revoke invitation",
    removeTitle: (who: string) => `Remove ${who}`,
    removeText: "They lose access right away. What they did in the account stays.",
    revokeText: "The link we sent stops working right away.",
    accepted: (who: string) =>
      `${who} accepted the invitation and is in the team. Confirm to remove their access.`,
    removed: "Removed from the team.",
    revoked: "Invitation revoked.",
    leave: "Leave the team",
    leaveTitle: "Leave the team?",
    leaveText:
      "You lose access right away, and the owner is told. What you did in the account stays. Only a new invitation brings you back.",
    transfer: "Transfer ownership",
    transferTitle: (who: string) => `Transfer ownership to ${who}`,
    transferText:
      "They will control everything: account details, live keys, the team. Only they can give ownership back.",
    transferYou: "Your role becomes",
    transferred: "Ownership transferred.",
    inTeam: "This address is already in the team or invited to it.",
    full: `The team is full. A team has at most ${formLimits.membersMax} people and invitations.`,
    badEmail: "Use a valid e-mail address.",
    yours: "Your role",
    onlyOwner: "Only the owner can invite or remove people and change roles.",
  },
})

/** Whether a role can be given by the owner. */
export const isGiven = (role: MemberRole): role is GivenRole => role !== "owner"
