import { auditDetailsText } from "../../schema/auditDetails.ts"
import type { CsvLocale } from "../../schema/csv.ts"
import type { SellerAuditEntry } from "../../schema/resources/sellerAudit.ts"
import { sellerActionWords } from "../../schema/sellerActionWords.ts"
import { type Cell, momentCell } from "./cells.ts"
import type { ExportTable } from "./table.ts"

type Actor = SellerAuditEntry["actor"]

const actorWords: Readonly<Record<Actor["type"], string>> = {
  user: "Pessoa",
  api_key: "Chave de API",
  operator: "Corrente",
  recipient: "Quem recebe o e-mail",
}

/** As pages call it; of an act that this version does not know, as an earlier one may meet it, its name. */
const actionCell = (action: string, locale: CsvLocale): Cell => {
  const words: Readonly<Partial<Record<string, string>>> = sellerActionWords[locale]
  return words[action] ?? action
}

/** Files of sellers' audit logs (`docs/contract/audit-log.md#files`). */
export const auditTable: ExportTable<SellerAuditEntry> = {
  sheet: { "pt-BR": "Atividade da conta", en: "Account activity" },
  columns: [
    { "pt-BR": "Quando", en: "at", width: 20 },
    { "pt-BR": "Tipo de autor", en: "actor_type", width: 20 },
    { "pt-BR": "Quem", en: "actor_name", width: 28 },
    { "pt-BR": "O que fez", en: "description", width: 48 },
    { "pt-BR": "Endereço IP", en: "ip_address", width: 20 },
    { "pt-BR": "Detalhes", en: "details", width: 48 },
    { "pt-BR": "Ação", en: "action", width: 32 },
    { "pt-BR": "Tipo do recurso", en: "resource_type", width: 18 },
    { "pt-BR": "Recurso", en: "resource_id", width: 36 },
    { "pt-BR": "Id do autor", en: "actor_id", width: 38 },
    { "pt-BR": "Registro", en: "id", width: 20 },
  ],
  cells: ({ id, at, actor, ip_address, action, resource_type, resource_id, details }, locale) => [
    momentCell(at),
    locale === "pt-BR" ? actorWords[actor.type] : actor.type,
    actor.name,
    ...[actionCell(action, locale), ip_address, auditDetailsText(details, locale)],
    ...[action, resource_type, resource_id, actor.id, id],
  ],
  record: ({ id, at, actor, ip_address, action, resource_type, resource_id, details }) => ({
    ...{ id, at, actor, ip_address, action, resource_type, resource_id, details },
  }),
}
