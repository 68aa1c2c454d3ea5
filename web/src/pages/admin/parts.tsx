import type { ComponentChildren } from "preact"
import type { Mode } from "../../api/session.ts"
import { Link, query, queryChoice, setQuery } from "../../app/router.tsx"
import { textsOf } from "../../text/i18n.ts"
import { statusText } from "../../text/statuses.ts"
import { Select } from "../../ui/form.tsx"
import { Code, Foreign } from "../../ui/values.tsx"
import "../../styles/admin.css"

const texts = textsOf({
  "pt-BR": { status: "Situação", mode: "Modo", live: "Produção", test: "Teste", all: "Todas" },
  en: { status: "Status", mode: "Mode", live: "Live", test: "Test", all: "All" },
})

/** A filter of a list that is kept in the address; `""` is the first choice. */
export const Filter = ({
  name,
  label,
  choices,
}: {
  readonly name: string
  readonly label: string
  readonly choices: ReadonlyArray<readonly [value: string, text: string]>
}) => (
  <Select
    label={label}
    value={
      queryChoice(
        name,
        choices.map(([value]) => value),
      ) ?? ""
    }
    onChange={(event) => setQuery({ [name]: event.currentTarget.value, cursor: undefined })}
    data-testid={`filter-${name}`}
  >
    {choices.map(([value, text]) => (
      <option key={value} value={value}>
        {text}
      </option>
    ))}
  </Select>
)

/** The mode of what operators see: live unless the address says test. */
export const shownMode = (): Mode => (query.value.get("mode") === "test" ? "test" : "live")

/** Chooses the mode of a list. */
export const ModeFilter = () => (
  <Filter
    name="mode"
    label={texts.value.mode}
    choices={[
      ["", texts.value.live],
      ["test", texts.value.test],
    ]}
  />
)

/** Chooses a status of a list; the first choice is the list's own default, or all. */
export const StatusFilter = ({
  statuses,
  first,
  name = "status",
  label,
  all = texts.value.all,
  wordOf = statusText,
}: {
  readonly statuses: ReadonlyArray<string>
  /** The status that stands for the default; undefined: all. */
  readonly first?: string
  readonly name?: string
  readonly label?: string
  /** The word for all, where it is not masculine. */
  readonly all?: string
  /** What a status is called of this resource. Default: as it is of most. */
  readonly wordOf?: (status: string) => string
}) => (
  <Filter
    name={name}
    label={label ?? texts.value.status}
    choices={[
      ["", first === undefined ? all : wordOf(first)],
      ...statuses.filter((status) => status !== first).map((status) => [status, wordOf(status)] as const),
    ]}
  />
)

/** A link to a seller's page. */
export const SellerLink = ({
  id,
  children,
}: {
  readonly id: string
  readonly children?: ComponentChildren
}) => (
  <Link to={`/admin/sellers/${encodeURIComponent(id)}`} class="seller-link">
    {children ?? <Code>{id}</Code>}
  </Link>
)

/** A link to a seller's page under the name that operators' lists give; under the id where the seller has none. */
export const NamedSeller = ({
  of: { seller_id, seller_name },
}: {
  readonly of: { readonly seller_id: string; readonly seller_name: string | null }
}) => (
  <SellerLink id={seller_id}>
    {seller_name === null ? undefined : <Foreign>{seller_name}</Foreign>}
  </SellerLink>
)

/** A link to a charge's page, for a charge's id or a refund's; the id alone where it is of something else. */
export const ChargeLink = ({ id }: { readonly id: string }) =>
  /^(txn|rfd)_/.test(id) ? (
    <Link to={`/admin/charges/${encodeURIComponent(id)}`} class="seller-link">
      <Code>{id}</Code>
    </Link>
  ) : (
    <Code>{id}</Code>
  )

/** Whatever somebody else's program said: text as it is, anything else as indented JSON. It wraps. */
export const Raw = ({ of }: { readonly of: unknown }) => (
  <pre class="raw">{typeof of === "string" ? of : JSON.stringify(of, null, 2)}</pre>
)
