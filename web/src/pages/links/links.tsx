import type { PaymentLink } from "../../../../schema/resources/paymentLink.ts"
import { type List, useList } from "../../api/resource.ts"
import { Link, navigate, query, setQuery } from "../../app/router.tsx"
import { formatCount } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { mayDo } from "../../text/roles.ts"
import { Button } from "../../ui/button.tsx"
import { Chip, Chips } from "../../ui/chips.tsx"
import { Empty } from "../../ui/feedback.tsx"
import { Icon } from "../../ui/icons.tsx"
import { isReady, More, Page, Shown } from "../../ui/page.tsx"
import { Cell, Table, TableRow } from "../../ui/table.tsx"
import { Foreign, Money, When } from "../../ui/values.tsx"
import { LinkForm } from "./linkForm.tsx"
import { LinkStatus, linkAmount } from "./linkParts.tsx"
import { countsInLink } from "./rules.ts"

const texts = textsOf({
  "pt-BR": {
    title: "Links de pagamento",
    create: "Novo link",
    name: "Título",
    amount: "Valor",
    state: "Situação",
    created: "Criado em",
    payments: "Pagamentos",
    received: "Recebido",
    shown: "Links",
    all: "Todos",
    on: "Ativos",
    off: "Desativados",
    none: "Nenhum link ainda",
    first: "Crie um link e mande a todos: cada pessoa que abre paga com o seu próprio Pix.",
    noneFiltered: "Nenhum link com este filtro",
  },
  en: {
    title: "Payment links",
    create: "New link",
    name: "Title",
    amount: "Amount",
    state: "Status",
    created: "Created",
    payments: "Payments",
    received: "Received",
    shown: "Links",
    all: "All",
    on: "Active",
    off: "Switched off",
    none: "No links yet",
    first: "Create a link and send it to everybody: each person who opens it pays with a Pix of their own.",
    noneFiltered: "No links with this filter",
  },
})

const Rows = ({ of }: { readonly of: List<PaymentLink> }) => {
  const { value } = texts
  return (
    <>
      <Table
        label={value.title}
        columns={[
          value.name,
          value.amount,
          value.state,
          value.created,
          { right: value.payments },
          { right: value.received },
        ]}
      >
        {(of.value.value?.data ?? []).map((link) => (
          <TableRow key={link.id} data-testid="link-row" data-id={link.id} opens>
            <Cell place="title" label={value.name}>
              <Link to={`/links/${link.id}`}>
                <Foreign>{link.title}</Foreign>
              </Link>
            </Cell>
            <Cell place="note" label={value.amount}>
              {linkAmount(link)}
            </Cell>
            <Cell place="state" label={value.state}>
              <LinkStatus link={link} />
            </Cell>
            <Cell place="wide" label={value.created}>
              <When at={link.created_at} />
            </Cell>
            <Cell place="wide" label={value.payments} isRight>
              {formatCount(link.payments)}
            </Cell>
            <Cell place="amount" label={value.received}>
              <Money amount={link.paid_amount} />
            </Cell>
          </TableRow>
        ))}
      </Table>
      <More of={of} />
    </>
  )
}

const filters = [undefined, "true", "false"] as const

/** A seller's payment links; `?create=1` opens the form of a new one. */
export default () => {
  const { value } = texts
  const asked = query.value.get("active")
  const active = asked === "true" || asked === "false" ? asked : undefined
  const links = useList(
    "GET /v1/me/payment-links",
    { query: { limit: 25, ...(active === undefined ? {} : { active }) } },
    { reloadsOn: countsInLink },
  )
  const create = () => setQuery({ create: "1" })
  const names = { undefined: value.all, true: value.on, false: value.off }
  return (
    <Page
      title={value.title}
      ready={isReady(links)}
      actions={
        <Button kind="primary" needs="charging" data-testid="link-create" onClick={create}>
          <Icon name="plus" /> {value.create}
        </Button>
      }
    >
      <Chips label={value.shown}>
        {filters.map((filter) => (
          <Chip
            key={String(filter)}
            isPressed={active === filter}
            onClick={() => setQuery({ active: filter })}
          >
            {names[`${filter}`]}
          </Chip>
        ))}
      </Chips>
      <section class="list">
        <Shown of={links}>
          {({ data }) => {
            if (data.length > 0) return <Rows of={links} />
            if (active !== undefined) return <Empty title={value.noneFiltered} />
            return (
              <Empty title={value.none}>
                {value.first}{" "}
                <Button needs="charging" onClick={create}>
                  {value.create}
                </Button>
              </Empty>
            )
          }}
        </Shown>
      </section>
      {query.value.get("create") === "1" && mayDo("charging") && (
        <LinkForm
          onClose={() => setQuery({ create: undefined })}
          onDone={({ id }) => navigate(`/links/${id}`)}
        />
      )}
    </Page>
  )
}
