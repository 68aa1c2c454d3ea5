import { HttpApi, OpenApi } from "effect/http-api"
import { securityGroup, sellerGroup, sessionsGroup } from "./account.ts"
import { adminGroup, invitesGroup } from "./admin.ts"
import { apiKeysGroup } from "./apiKeys.ts"
import { authGroup, mailedGroup, secondStepGroup } from "./auth.ts"
import { bulkGroup } from "./bulk.ts"
import { closingsGroup } from "./closings.ts"
import { customersGroup, sessionCustomersGroup } from "./customers.ts"
import { deliveriesGroup } from "./deliveries.ts"
import { destinationsGroup, endpointsGroup } from "./endpoints.ts"
import { eventsGroup, streamGroup } from "./events.ts"
import { exceptionsGroup } from "./exceptions.ts"
import { healthGroup } from "./health.ts"
import { inboundGroup, inboxGroup } from "./inbound.ts"
import { insightsGroup } from "./insights.ts"
import { membersGroup } from "./members.ts"
import { notesGroup } from "./notes.ts"
import { notificationsGroup } from "./notifications.ts"
import { operationsGroup } from "./operations.ts"
import { operatorSearchGroup } from "./operatorSearch.ts"
import { operatorTransactionsGroup } from "./operatorTransactions.ts"
import { operatorUsersGroup } from "./operatorUsers.ts"
import { operatorWithdrawalsGroup } from "./operatorWithdrawals.ts"
import { passkeyStepGroup, passkeysGroup } from "./passkeys.ts"
import { paymentLinksGroup, sessionPaymentLinksGroup } from "./paymentLinks.ts"
import { myPixKeysGroup, operatorPixKeysGroup, pixKeysGroup } from "./pixKeys.ts"
import { queueGroup } from "./queue.ts"
import { receiptsGroup, sessionReceiptsGroup } from "./receipts.ts"
import { operatorRefundsGroup, refundsGroup, sessionRefundsGroup } from "./refunds.ts"
import { reportsGroup } from "./reports.ts"
import { sellerAuditGroup } from "./sellerAudit.ts"
import { sessionReadsGroup } from "./sessionReads.ts"
import { sessionStatementGroup, statementGroup } from "./statement.ts"
import { sessionTestControlsGroup, testControlsGroup } from "./testControls.ts"
import { transactionsGroup } from "./transactions.ts"
import { balanceGroup, sessionMoneyGroup, withdrawalsGroup } from "./withdrawals.ts"

/** The contract: the only source of routes, decoding, `/openapi.json`, `/docs` and typed clients. */
export const api = HttpApi.make("corrente")
  .add(
    transactionsGroup,
    refundsGroup,
    paymentLinksGroup,
    customersGroup,
    withdrawalsGroup,
    balanceGroup,
    statementGroup,
    eventsGroup,
    streamGroup,
    deliveriesGroup,
    sessionReadsGroup,
    sessionMoneyGroup,
    sessionRefundsGroup,
    sessionPaymentLinksGroup,
    sessionCustomersGroup,
    sessionReceiptsGroup,
    sessionStatementGroup,
    bulkGroup,
    notesGroup,
    insightsGroup,
    pixKeysGroup,
    myPixKeysGroup,
    testControlsGroup,
    sessionTestControlsGroup,
    receiptsGroup,
    healthGroup,
    authGroup,
    mailedGroup,
    secondStepGroup,
    passkeyStepGroup,
    passkeysGroup,
    sessionsGroup,
    securityGroup,
    sellerGroup,
    apiKeysGroup,
    endpointsGroup,
    destinationsGroup,
    notificationsGroup,
    reportsGroup,
    membersGroup,
    sellerAuditGroup,
    invitesGroup,
    queueGroup,
    operatorSearchGroup,
    adminGroup,
    operatorWithdrawalsGroup,
    operatorTransactionsGroup,
    operatorRefundsGroup,
    operatorPixKeysGroup,
    operatorUsersGroup,
    closingsGroup,
    exceptionsGroup,
    operationsGroup,
    inboundGroup,
    inboxGroup,
  )
  .annotate(OpenApi.Title, "Corrente")
  .annotate(OpenApi.Version, "0.1.0")
  .annotate(
    OpenApi.Description,
    "Pix charges, payouts, signed webhooks and an event feed. Errors use one envelope; lists are newest first with an opaque cursor.",
  )
