import type { SellerAuditEntry } from "../../../../schema/resources/sellerAudit.ts"
import { query, queryChoice, setQuery } from "../../app/router.tsx"
import { textsOf } from "../../text/i18n.ts"
import { Button } from "../../ui/button.tsx"
import { PeriodFilter } from "../../ui/filters.tsx"
import { Select } from "../../ui/form.tsx"
import { readPeriod } from "../../ui/period.ts"
import { actionsOf, type Family, families } from "./activityFamilies.ts"

type Actor = SellerAuditEntry["actor"]

interface FilterTexts
  extends Readonly<
    Record<"filters" | "who" | "everyone" | "named" | "what" | "everything" | "clear", string>
  > {
  readonly kinds: Readonly<Record<Actor["type"], string>>
  readonly families: Readonly<Record<Family, string>>
}

const texts = textsOf<FilterTexts>({
  "pt-BR": {
    filters: "Filtros",
    who: "Quem",
    everyone: "Todos",
    kinds: {
      user: "Pessoas",
      api_key: "Chaves de API",
      operator: "Corrente",
      recipient: "Quem recebe e-mails",
    },
    named: "Pelo nome",
    what: "O quê",
    everything: "Tudo",
    families: {
      access: "Acesso e segurança",
      keys: "Chaves de API",
      webhooks: "Webhooks",
      money: "Dinheiro",
      sales: "Links, clientes e notas",
      team: "Equipe",
      account: "Conta e relatórios",
    },
    clear: "Limpar filtros",
  },
  en: {
    filters: "Filters",
    who: "Who",
    everyone: "Everyone",
    kinds: { user: "People", api_key: "API keys", operator: "Corrente", recipient: "E-mail recipients" },
    named: "By name",
    what: "What",
    everything: "Everything",
    families: {
      access: "Access and security",
      keys: "API keys",
      webhooks: "Webhooks",
      money: "Money",
      sales: "Links, customers and notes",
      team: "Team",
      account: "Account and reports",
    },
    clear: "Clear filters",
  },
})

/** As much of a name as a phone's select shows. */
const namedLengthMax = 28

const kinds: ReadonlyArray<Actor["type"]> = ["user", "api_key", "operator", "recipient"]

/** The filters of the page, from the address, as the API takes them. */
export const readActivityFilters = () => {
  const family = queryChoice("what", families)
  return {
    actor: query.value.get("who") ?? undefined,
    action: family === undefined ? undefined : actionsOf(family),
    ...readPeriod(query.value),
  }
}

interface ActivityFiltersProps {
  /** People and keys that can be chosen by name. */
  readonly actors: ReadonlyMap<string, string>
  /** The day, by the true clock: what the log tells happened at no other time. */
  readonly today: string
}

/** Chooses who, what and when. */
export const ActivityFilters = ({ actors, today }: ActivityFiltersProps) => {
  const { value } = texts
  const { actor, from, to } = readActivityFilters()
  const family = queryChoice("what", families)
  const named = new Map(actors)
  // One that a link names may have no entry of this page.
  if (actor !== undefined && !kinds.some((kind) => kind === actor) && !named.has(actor))
    named.set(actor, actor)
  return (
    <fieldset class="filters" aria-label={value.filters}>
      <Select
        label={value.who}
        value={actor ?? ""}
        data-testid="activity-who"
        onChange={(event) => setQuery({ who: event.currentTarget.value })}
      >
        <option value="">{value.everyone}</option>
        {kinds.map((kind) => (
          <option key={kind} value={kind}>
            {value.kinds[kind]}
          </option>
        ))}
        {named.size > 0 && (
          <optgroup label={value.named}>
            {[...named].map(([id, name]) => (
              <option key={id} value={id}>
                {name.length > namedLengthMax ? `${name.slice(0, namedLengthMax)}…` : name}
              </option>
            ))}
          </optgroup>
        )}
      </Select>
      <Select
        label={value.what}
        value={family ?? ""}
        data-testid="activity-what"
        onChange={(event) => setQuery({ what: event.currentTarget.value })}
      >
        <option value="">{value.everything}</option>
        {families.map((one) => (
          <option key={one} value={one}>
            {value.families[one]}
          </option>
        ))}
      </Select>
      <PeriodFilter today={today} />
      {(actor ?? family ?? from ?? to) !== undefined && (
        <Button
          kind="quiet"
          data-testid="activity-clear"
          onClick={() => setQuery({ who: undefined, what: undefined, from: undefined, to: undefined })}
        >
          {value.clear}
        </Button>
      )}
    </fieldset>
  )
}
