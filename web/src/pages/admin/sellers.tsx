import type { SellerProfile } from "../../../../schema/resources/seller.ts"
import { useList } from "../../api/resource.ts"
import { Link, navigate } from "../../app/router.tsx"
import { textsOf } from "../../text/i18n.ts"
import { Empty } from "../../ui/feedback.tsx"
import { Field, Form, textOf } from "../../ui/form.tsx"
import { isReady, ListCard, Page } from "../../ui/page.tsx"
import { Foreign, Moment, Status } from "../../ui/values.tsx"
import { chosen, SellerLink, StatusFilter } from "./parts.tsx"
import { useRefreshing } from "./refreshing.ts"

const texts = textsOf({
  "pt-BR": {
    title: "Vendedores",
    empty: "Nenhum vendedor",
    emptyWhy: "Vendedores aparecem aqui quando aceitam um convite.",
    name: "Nome",
    document: "Documento",
    status: "Status",
    kyc: "Cadastro",
    lock: "Saques bloqueados até",
    since: "Desde",
    invites: "Convites",
    find: "Abrir pelo id",
    open: "Abrir",
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
    find: "Open by id",
    open: "Open",
  },
})

const statuses = ["active", "suspended"]
const kycStatuses = ["none", "pending", "approved", "rejected"]
const pageSize = 25

const Row = ({ of: seller }: { readonly of: SellerProfile }) => (
  <tr data-testid="seller-row" data-id={seller.id} data-status={seller.status}>
    <td data-label={texts.value.name}>
      <SellerLink id={seller.id}>
        <Foreign>{seller.name}</Foreign>
      </SellerLink>
    </td>
    <td data-label={texts.value.document}>{seller.document ?? "—"}</td>
    <td data-label={texts.value.status}>
      <Status status={seller.status} />
    </td>
    <td data-label={texts.value.kyc}>
      <Status status={seller.kyc_status} />
    </td>
    <td data-label={texts.value.lock}>
      <Moment at={seller.payout_locked_until} />
    </td>
    <td data-label={texts.value.since}>
      <Moment at={seller.created_at} />
    </td>
  </tr>
)

/** All sellers, by status and identification. */
export default () => {
  const list = useList<SellerProfile>("/v1/admin/sellers", {
    status: chosen("status", statuses),
    kyc_status: chosen("kyc_status", kycStatuses),
    limit: pageSize,
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
        <StatusFilter statuses={statuses} />
        <StatusFilter name="kyc_status" label={value.kyc} statuses={kycStatuses} />
        <div class="find">
          <Form
            submit={value.open}
            onSubmit={async (values) =>
              navigate(`/admin/sellers/${encodeURIComponent(textOf(values, "id"))}`)
            }
          >
            <Field label={value.find} name="id" placeholder="sel_…" required autocomplete="off" />
          </Form>
        </div>
      </div>
      <ListCard
        of={list}
        label={value.title}
        columns={[value.name, value.document, value.status, value.kyc, value.lock, value.since]}
        empty={<Empty title={value.empty}>{value.emptyWhy}</Empty>}
      >
        {(seller) => <Row key={seller.id} of={seller} />}
      </ListCard>
    </Page>
  )
}
