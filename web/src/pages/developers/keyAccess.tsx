import { Fragment } from "preact"
import { type ApiKeyScope, apiKeyScopes } from "../../../../schema/apiKeyScopes.ts"
import { formLimits } from "../../../../schema/formLimits.ts"
import type { ApiKey } from "../../../../schema/resources/apiKey.ts"
import { textsOf } from "../../text/i18n.ts"
import { Checkbox, TextArea } from "../../ui/form.tsx"
import { Code } from "../../ui/values.tsx"

const texts = textsOf({
  "pt-BR": {
    access: "O que a chave pode fazer",
    full: "Acesso total",
    fullText: "Tudo o que uma chave pode fazer.",
    chosen: "Só o que eu escolher",
    chosenText: "Se a chave vazar, o estrago é menor.",
    addresses: "Endereços permitidos",
    addressesHint: `IPv4, IPv6 ou faixas como 203.0.113.0/24, um por linha, até ${formLimits.apiKeyAddressesMax}. Em branco, a chave vale de qualquer lugar.`,
    from: "Só de",
    fromSeveral: (count: number) => `Só de ${count} endereços`,
    may: (group: string, acts: ReadonlyArray<string>) => `${group}: ${acts.join(" e ")}`,
    charges: "Cobranças",
    chargesText: "Com links de pagamento; ler mostra também as devoluções.",
    refunds: "Devoluções",
    refundsText: "Devolver dinheiro a quem pagou.",
    withdrawals: "Saques",
    withdrawalsText: "Com as chaves Pix de destino.",
    events: "Eventos",
    eventsText: "Lista e ao vivo, com os dados de cobranças e saques.",
    deliveries: "Entregas",
    deliveriesText: "O que foi enviado aos webhooks.",
    balance: "Saldo",
    balanceText: "Disponível, em reserva e a liberar.",
    ledger: "Extrato",
    ledgerText: "Lançamentos e arquivos.",
    read: "Ler",
    create: "Criar",
    refund: "Devolver",
    withdraw: "Sacar",
    resend: "Reenviar",
  },
  en: {
    access: "What the key may do",
    full: "Full access",
    fullText: "Everything that a key can do.",
    chosen: "Only what I choose",
    chosenText: "If the key leaks, it does less harm.",
    addresses: "Allowed addresses",
    addressesHint: `IPv4, IPv6 or ranges such as 203.0.113.0/24, one per line, up to ${formLimits.apiKeyAddressesMax}. Leave it empty and the key works from anywhere.`,
    from: "Only from",
    fromSeveral: (count: number) => `Only from ${count} addresses`,
    may: (group: string, acts: ReadonlyArray<string>) => `${group}: ${acts.join(" and ")}`,
    charges: "Charges",
    chargesText: "With payment links; reading shows refunds too.",
    refunds: "Refunds",
    refundsText: "Give money back to payers.",
    withdrawals: "Withdrawals",
    withdrawalsText: "With the Pix keys they go to.",
    events: "Events",
    eventsText: "As a list and live, with the data of charges and withdrawals.",
    deliveries: "Deliveries",
    deliveriesText: "What was sent to webhooks.",
    balance: "Balance",
    balanceText: "Available, in reserve and to be released.",
    ledger: "Statement",
    ledgerText: "Entries and files.",
    read: "Read",
    create: "Create",
    refund: "Refund",
    withdraw: "Withdraw",
    resend: "Resend",
  },
})

type Act = "read" | "create" | "refund" | "withdraw" | "resend"

interface Group {
  readonly name: "charges" | "refunds" | "withdrawals" | "events" | "deliveries" | "balance" | "ledger"
  readonly acts: ReadonlyArray<readonly [scope: ApiKeyScope, act: Act]>
}

/** Scopes by what they are about. */
const groups: ReadonlyArray<Group> = [
  {
    name: "charges",
    acts: [
      ["charges:read", "read"],
      ["charges:write", "create"],
    ],
  },
  { name: "refunds", acts: [["refunds:write", "refund"]] },
  {
    name: "withdrawals",
    acts: [
      ["withdrawals:read", "read"],
      ["withdrawals:write", "withdraw"],
    ],
  },
  { name: "events", acts: [["events:read", "read"]] },
  {
    name: "deliveries",
    acts: [
      ["deliveries:read", "read"],
      ["deliveries:write", "resend"],
    ],
  },
  { name: "balance", acts: [["balance:read", "read"]] },
  { name: "ledger", acts: [["ledger:read", "read"]] },
]

/** The chosen scopes; undefined: full access. */
export type ChosenScopes = ReadonlyArray<ApiKeyScope> | undefined

interface ChoiceProps {
  readonly chosen: ChosenScopes
  readonly onChoose: (chosen: ChosenScopes) => void
}

const Preset = ({
  is,
  chosen,
  onChoose,
}: ChoiceProps & {
  readonly is: "full" | "chosen"
}) => (
  <label class="checkbox">
    <input
      type="radio"
      name="access"
      data-testid={`key-access-${is}`}
      checked={(chosen === undefined) === (is === "full")}
      onChange={() => onChoose(is === "full" ? undefined : [])}
    />
    <span>
      {texts.value[is]} <small class="second-line">{texts.value[`${is}Text`]}</small>
    </span>
  </label>
)

const GroupChoices = ({
  of: { name, acts },
  chosen,
  onChoose,
}: {
  readonly of: Group
  readonly chosen: ReadonlyArray<ApiKeyScope>
  readonly onChoose: (chosen: ReadonlyArray<ApiKeyScope>) => void
}) => (
  <fieldset class="scope-group" aria-label={texts.value[name]}>
    <span>
      <strong>{texts.value[name]}</strong> <small class="second-line">{texts.value[`${name}Text`]}</small>
    </span>
    <span class="scope-acts">
      {acts.map(([scope, act]) => (
        <Checkbox
          key={scope}
          label={texts.value[act]}
          data-testid="key-scope"
          value={scope}
          checked={chosen.includes(scope)}
          onChange={({ currentTarget }) =>
            onChoose(currentTarget.checked ? [...chosen, scope] : chosen.filter((other) => other !== scope))
          }
        />
      ))}
    </span>
  </fieldset>
)

/** Chooses what a new key may do and from where. */
export const AccessFields = ({ chosen, onChoose }: ChoiceProps) => (
  <>
    <fieldset class="scope-choices">
      <legend>{texts.value.access}</legend>
      <Preset is="full" chosen={chosen} onChoose={onChoose} />
      <Preset is="chosen" chosen={chosen} onChoose={onChoose} />
      {chosen !== undefined && (
        <div class="scope-groups">
          {groups.map((group) => (
            <GroupChoices key={group.name} of={group} chosen={chosen} onChoose={onChoose} />
          ))}
        </div>
      )}
    </fieldset>
    <TextArea
      label={texts.value.addresses}
      hint={texts.value.addressesHint}
      name="addresses"
      rows={2}
      data-testid="key-addresses"
    />
  </>
)

/** A group in the words of a list, with what the key may do there. Undefined where it may do nothing. */
const groupText = ({ name, acts }: Group, scopes: ReadonlyArray<ApiKeyScope>): string | undefined => {
  const allowed = acts.filter(([scope]) => scopes.includes(scope))
  if (allowed.length === 0) return undefined
  const { value } = texts
  return value.may(
    value[name],
    allowed.map(([, act]) => value[act].toLowerCase()),
  )
}

const Addresses = ({ of: addresses }: { readonly of: ReadonlyArray<string> }) => {
  const [first, ...more] = addresses
  if (first === undefined) return null
  if (more.length === 0) {
    return (
      <small class="second-line">
        {texts.value.from} <Code>{first}</Code>
      </small>
    )
  }
  return (
    <details class="second-line key-addresses">
      <summary>{texts.value.fromSeveral(addresses.length)}</summary>
      <ul>
        {addresses.map((address) => (
          <li key={address}>
            <Code>{address}</Code>
          </li>
        ))}
      </ul>
    </details>
  )
}

/** What a key may do and from where, in few words. */
export const KeyAccess = ({ of: { scopes, allowed_ips } }: { readonly of: ApiKey }) => (
  <div class="key-access">
    {apiKeyScopes.every((scope) => scopes.includes(scope))
      ? texts.value.full
      : groups
          .flatMap((group) => groupText(group, scopes) ?? [])
          .map((text, i) => (
            <Fragment key={text}>
              {i > 0 && " · "}
              <span class="scope-text">{text}</span>
            </Fragment>
          ))}
    <Addresses of={allowed_ips} />
  </div>
)
