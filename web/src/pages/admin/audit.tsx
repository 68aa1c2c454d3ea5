import { useList } from "../../api/resource.ts"
import { textsOf } from "../../text/i18n.ts"
import { Empty } from "../../ui/feedback.tsx"
import { Card, isReady, More, Page, Shown } from "../../ui/page.tsx"
import { AuditEntries } from "./auditEntries.tsx"
import "../../styles/admin.css"
import { useRefreshing } from "./refreshing.ts"

const texts = textsOf({
  "pt-BR": {
    title: "Auditoria",
    empty: "Nenhum ato registrado",
    emptyWhy: "Todo ato de um operador que muda algo aparece aqui, registrado antes de acontecer.",
  },
  en: {
    title: "Audit log",
    empty: "No acts yet",
    emptyWhy: "Every act of an operator that changes something appears here, recorded before it happens.",
  },
})

const pageSize = 50

/** What operators did, newest first. */
export default () => {
  const list = useList("GET /v1/admin/audit", { query: { limit: pageSize } })
  useRefreshing(list)
  return (
    <Page title={texts.value.title} ready={isReady(list)}>
      <Card>
        <Shown of={list}>
          {({ data }) =>
            data.length === 0 ? (
              <Empty title={texts.value.empty}>{texts.value.emptyWhy}</Empty>
            ) : (
              <AuditEntries of={data} />
            )
          }
        </Shown>
        <More of={list} />
      </Card>
    </Page>
  )
}
