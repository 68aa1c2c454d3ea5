import { formLimits } from "../../../../schema/formLimits.ts"
import { withdrawalStatuses } from "../../../../schema/names.ts"
import { useList, useRead } from "../../api/resource.ts"
import { user } from "../../api/session.ts"
import { queryChoice } from "../../app/router.tsx"
import { textsOf } from "../../text/i18n.ts"
import { Empty } from "../../ui/feedback.tsx"
import { Card, isReady, More, Page, Shown } from "../../ui/page.tsx"
import { useAct } from "./acts.tsx"
import { ModeFilter, StatusFilter, shownMode } from "./parts.tsx"
import { useRefreshing } from "./refreshing.ts"
import { askedBy } from "./secondOperator.ts"
import { WithdrawalCase } from "./withdrawalCase.tsx"

const texts = textsOf({
  "pt-BR": {
    title: "Saques",
    empty: "Nenhum saque aguarda aprovação",
    emptyOther: "Nenhum saque com este status",
    emptyWhy: "Os pedidos de saque dos vendedores aparecem aqui, com o que ajuda a decidir.",
  },
  en: {
    title: "Withdrawals",
    empty: "No withdrawal awaits approval",
    emptyOther: "No withdrawal has this status",
    emptyWhy: "Sellers' requests appear here, with what helps to decide.",
  },
})

const pageSize = 10

/** Withdrawals of all sellers, and what decides those that await approval. */
export default () => {
  const status = queryChoice("status", withdrawalStatuses) ?? "awaiting"
  const list = useList("GET /v1/admin/withdrawals", { query: { mode: shownMode(), status, limit: pageSize } })
  const log = useRead("GET /v1/admin/audit", { query: { limit: formLimits.pageSizeMax } })
  useRefreshing(list, log)
  const { ask, dialog } = useAct(() => Promise.all([list.reload(), log.reload()]))
  return (
    <Page title={texts.value.title} ready={isReady(list)}>
      <div class="filters">
        <StatusFilter statuses={withdrawalStatuses} first="awaiting" />
        <ModeFilter />
      </div>
      <Shown of={list}>
        {({ data }) =>
          data.length === 0 ? (
            <Card>
              <Empty title={status === "awaiting" ? texts.value.empty : texts.value.emptyOther}>
                {texts.value.emptyWhy}
              </Empty>
            </Card>
          ) : (
            data.map((withdrawal) => (
              <WithdrawalCase
                key={withdrawal.id}
                of={withdrawal}
                asked={askedBy(
                  "withdrawal.approval_asked",
                  withdrawal.id,
                  log.value.value?.data ?? [],
                  user.value?.id,
                )}
                ask={ask}
              />
            ))
          )
        }
      </Shown>
      <More of={list} />
      {dialog}
    </Page>
  )
}
