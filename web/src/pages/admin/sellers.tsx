import { formLimits } from "../../../../schema/formLimits.ts"
import { kycStatuses, sellerStatuses } from "../../../../schema/names.ts"
import type { SellerProfile } from "../../../../schema/resources/seller.ts"
import { useList } from "../../api/resource.ts"
import { Link, query, queryChoice, setQuery } from "../../app/router.tsx"
import { textsOf } from "../../text/i18n.ts"
import { Empty } from "../../ui/feedback.tsx"
import { Field, Form, textOf } from "../../ui/form.tsx"
import { isReady, Page } from "../../ui/page.tsx"
import { Cell, ListTable, TableRow } from "../../ui/table.tsx"
import { Foreign, Status, When } from "../../ui/values.tsx"
import { SellerLink, StatusFilter } from "./parts.tsx"
import { useRefreshing } from "./refreshing.ts"

const texts = textsOf({
  "pt-BR": {
    title: "Vendedores",
    empty: "Nenhum vendedor",
    emptyWhy: "Vendedores aparecem aqui quando aceitam um convite.",
    name: "Nome",
    document: "Documento",
    status: "Situação",
    kyc: "Cadastro",
    lock: "Saques bloqueados até",
    since: "Desde",
    invites: "Convites",
    find: "Buscar",
    findHint: "Nome, CPF ou CNPJ, e-mail de quem entra, ou id",
    open: "Buscar",
    all: "Mostrar todos",
    noneFound: (text: string) => `Nenhum vendedor encontrado para “${text}”`,
    noneFoundWhy:
      "Nomes são achados pelo começo de cada palavra; CPF, CNPJ, e-mail e id só por inteiro. Filtros também valem na busca.",
  },
  en: {
    title: "Sellers",
    empty: "No sellers",
    emptyWhy: "Sellers appear here once they accept an invite.",
    name: "Name",
    document: "Document",
    status: "Status",
    kyc: "Identification",
    lock: "Withdrawals locked until",
    since: "Since",
    invites: "Invites",
    find: "Search",
    findHint: "Name, CPF or CNPJ, the owner's e-mail address, or id",
    open: "Search",
    all: "Show all",
    noneFound: (text: string) => `No seller was found for “${text}”`,
    noneFoundWhy:
      "Names are found by the beginnings of their words; documents, e-mail addresses and ids only as a whole. Filters hold for searches too.",
  },
})

const pageSize = 25

const Row = ({ of: seller }: { readonly of: SellerProfile }) => (
  <TableRow data-testid="seller-row" data-id={seller.id} data-status={seller.status} opens>
    <Cell place="title" label={texts.value.name}>
      <SellerLink id={seller.id}>
        <Foreign>{seller.name}</Foreign>
      </SellerLink>
    </Cell>
    <Cell place="note" label={texts.value.document}>
      {seller.document}
    </Cell>
    <Cell place="state" label={texts.value.status}>
      <Status status={seller.status} />
    </Cell>
    <Cell place="extra" label={texts.value.kyc}>
      <Status status={seller.kyc_status} />
    </Cell>
    <Cell place="extra" label={texts.value.lock}>
      <When at={seller.payout_locked_until} />
    </Cell>
    <Cell place="when" label={texts.value.since}>
      <When at={seller.created_at} />
    </Cell>
  </TableRow>
)

/** All sellers, by status and identification. */
export default () => {
  const sought = query.value.get("q") ?? undefined
  const list = useList("GET /v1/admin/sellers", {
    query: {
      status: queryChoice("status", sellerStatuses),
      kyc_status: queryChoice("kyc_status", kycStatuses),
      q: sought,
      limit: pageSize,
    },
  })
  useRefreshing(list)
  const { value } = texts
  return (
    <Page
      title={value.title}
      ready={isReady(list)}
      actions={
        <Link to="/admin/invites" class="button">
          {value.invites}
        </Link>
      }
    >
      <div class="filters">
        <StatusFilter statuses={sellerStatuses} />
        <StatusFilter name="kyc_status" label={value.kyc} statuses={kycStatuses} />
        <div class="find">
          <Form
            submit={value.open}
            onSubmit={async (values) => setQuery({ q: textOf(values, "q") || undefined })}
          >
            <Field
              key={sought}
              label={value.find}
              name="q"
              saysOptional={false}
              placeholder={value.findHint}
              defaultValue={sought ?? ""}
              maxLength={formLimits.searchLengthMax}
              autocomplete="off"
              data-testid="seller-search"
            />
          </Form>
        </div>
      </div>
      <ListTable
        of={list}
        label={value.title}
        columns={[value.name, value.document, value.status, value.kyc, value.lock, value.since]}
        empty={
          sought === undefined ? (
            <Empty title={value.empty}>{value.emptyWhy}</Empty>
          ) : (
            <Empty title={value.noneFound(sought)}>
              {value.noneFoundWhy} <Link to="/admin/sellers">{value.all}</Link>
            </Empty>
          )
        }
      >
        {(seller) => <Row key={seller.id} of={seller} />}
      </ListTable>
    </Page>
  )
}
