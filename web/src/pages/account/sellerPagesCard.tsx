import { Link } from "../../app/router.tsx"
import { textsOf } from "../../text/i18n.ts"
import { Icon, type IconName } from "../../ui/icons.tsx"
import { Card } from "../../ui/page.tsx"

type PageName = "team" | "activity" | "alerts" | "reports"

const texts = textsOf<Readonly<Record<PageName, readonly [name: string, why: string]>> & { title: string }>({
  "pt-BR": {
    title: "Equipe e avisos",
    team: ["Equipe", "Quem trabalha com você, e o que cada pessoa pode fazer."],
    activity: ["Atividade da conta", "Quem fez o quê e quando, com filtros e arquivo."],
    alerts: ["Alertas", "O que avisamos por e-mail ou no chat da sua equipe."],
    reports: ["Relatórios por e-mail", "Extrato e listas todo dia, semana ou mês, também para o contador."],
  },
  en: {
    title: "Team and notifications",
    team: ["Team", "Who works with you, and what each person can do."],
    activity: ["Account activity", "Who did what, and when, with filters and a file."],
    alerts: ["Alerts", "What we tell you by mail or in your team's chat."],
    reports: [
      "Reports by e-mail",
      "The statement and lists every day, week or month, also for your accountant.",
    ],
  },
})

const pages: ReadonlyArray<readonly [PageName, IconName]> = [
  ["team", "people"],
  ["activity", "list"],
  ["alerts", "alert"],
  ["reports", "mail"],
]

/** Leads to what has pages of its own. */
export const SellerPagesCard = () => {
  const { value } = texts
  return (
    <Card title={value.title}>
      <ul class="settings-pages">
        {pages.map(([page, icon]) => {
          const [name, why] = value[page]
          return (
            <li key={page}>
              <Icon name={icon} />
              <Link to={`/settings/${page}`} data-testid={`${page}-open`}>
                {name}
              </Link>
              <small class="muted">{why}</small>
            </li>
          )
        })}
      </ul>
    </Card>
  )
}
