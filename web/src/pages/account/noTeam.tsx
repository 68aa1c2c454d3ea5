import { user } from "../../api/session.ts"
import { signOut } from "../../app/signOut.ts"
import { textsOf } from "../../text/i18n.ts"
import { Button } from "../../ui/button.tsx"
import { Foreign } from "../../ui/values.tsx"
import { Frame } from "./frame.tsx"

const texts = textsOf({
  "pt-BR": {
    title: "Você não está em nenhuma equipe",
    why: "Você saiu, o seu acesso foi removido, ou o convite foi revogado antes de você aceitar. Peça um novo convite para este endereço:",
    signOut: "Sair",
  },
  en: {
    title: "You are not in a team",
    why: "You left, the owner removed your access, or the invitation was revoked before you accepted it. Ask for a new invitation to this address:",
    signOut: "Sign out",
  },
})

/** Stands in for the pages of a seller, for a user who is in nobody's team. */
export default () => {
  const { value } = texts
  return (
    <Frame title={value.title}>
      <p data-testid="no-team">
        {value.why} <Foreign>{user.value?.email ?? ""}</Foreign>
      </p>
      <Button onClick={signOut}>{value.signOut}</Button>
    </Frame>
  )
}
