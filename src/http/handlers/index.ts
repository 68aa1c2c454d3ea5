import { Effect } from "effect"
import type { api } from "../../../schema/api/index.ts"
import type { Handlers } from "../server/request.ts"
import { makeAdminHandlers } from "./admin.ts"
import { makeApiKeyHandlers } from "./apiKeys.ts"
import { makeSellerAuditHandlers } from "./auditLogs.ts"
import { makeAuthHandlers } from "./auth.ts"
import { makeBulkHandlers } from "./bulk.ts"
import { makeChargeExportHandlers } from "./chargeExport.ts"
import { makeClosingHandlers } from "./closings.ts"
import { makeCustomerHandlers } from "./customers.ts"
import { makeDeliveryHandlers } from "./deliveries.ts"
import { makeDestinationHandlers } from "./destinations.ts"
import { makeEndpointHandlers } from "./endpoints.ts"
import { makeEventHandlers } from "./events.ts"
import { makeExceptionHandlers } from "./exceptions.ts"
import type { OpenFile } from "./fileStream.ts"
import { makeHealthHandlers } from "./health.ts"
import { makeInboundHandlers, makeInboxHandlers } from "./inbox.ts"
import { makeInsightHandlers } from "./insights.ts"
import { makeInviteHandlers } from "./invites.ts"
import { makeListExportHandlers } from "./listExports.ts"
import { makeMailedHandlers } from "./mailed.ts"
import { makeMemberHandlers } from "./members.ts"
import { makeNoteHandlers } from "./notes.ts"
import { makeNotificationHandlers } from "./notifications.ts"
import { makeOperationsHandlers } from "./operations.ts"
import { makeOperatorRefundHandlers } from "./operatorRefunds.ts"
import { makeOperatorSearchHandlers } from "./operatorSearch.ts"
import { makeOperatorTransactionHandlers } from "./operatorTransactions.ts"
import { makeOperatorUserHandlers } from "./operatorUsers.ts"
import { makeOperatorWithdrawalHandlers } from "./operatorWithdrawals.ts"
import { makePasskeyHandlers } from "./passkeys.ts"
import { makePaymentLinkHandlers, sessionPaymentLinkHandlers } from "./paymentLinks.ts"
import { makeOperatorPixKeyHandlers, makePixKeyHandlers } from "./pixKeys.ts"
import { makeQueueHandlers } from "./queue.ts"
import { makeReceiptHandlers, sessionReceiptHandlers } from "./receipts.ts"
import { makeRefundHandlers, sessionRefundHandlers } from "./refunds.ts"
import { makeReportHandlers } from "./reports.ts"
import { makeSecondStepHandlers } from "./secondStep.ts"
import { makeSecurityHandlers } from "./security.ts"
import { makeSellerHandlers } from "./seller.ts"
import { sessionReadHandlers } from "./sessionReads.ts"
import { makeSessionHandlers } from "./sessions.ts"
import { makeStatementHandlers } from "./statement.ts"
import { makeTestControlHandlers, sessionTestControlHandlers } from "./testControls.ts"
import { makeTransactionHandlers } from "./transactions.ts"
import { makeMoneyHandlers, sessionMoneyHandlers } from "./withdrawals.ts"

/**
 * The handlers of the whole contract; one that is missing does not compile. `version` is what /health answers, `openFile` opens all files
 * of the process.
 */
export const makeHandlers = Effect.fnUntraced(function* (version: string, openFile: OpenFile) {
  const reads = {
    ...(yield* makeTransactionHandlers),
    ...(yield* makeEventHandlers),
    ...(yield* makeDeliveryHandlers),
  }
  const money = yield* makeMoneyHandlers
  const refunds = yield* makeRefundHandlers
  const paymentLinks = yield* makePaymentLinkHandlers
  const receipts = yield* makeReceiptHandlers
  const testControls = yield* makeTestControlHandlers
  const handlers: Handlers<typeof api, never> = {
    ...reads,
    ...sessionReadHandlers(reads),
    ...(yield* makeChargeExportHandlers(openFile)),
    ...money,
    ...sessionMoneyHandlers(money),
    ...refunds,
    ...sessionRefundHandlers(refunds),
    ...paymentLinks,
    ...sessionPaymentLinkHandlers(paymentLinks),
    ...(yield* makeCustomerHandlers),
    ...receipts,
    ...sessionReceiptHandlers(receipts),
    ...(yield* makeListExportHandlers(openFile)),
    ...(yield* makeStatementHandlers(openFile)),
    ...(yield* makeBulkHandlers),
    ...(yield* makeNoteHandlers),
    ...(yield* makeMemberHandlers),
    ...(yield* makeInsightHandlers),
    ...(yield* makeInboundHandlers),
    ...(yield* makeInboxHandlers),
    ...(yield* makePixKeyHandlers),
    ...(yield* makeOperatorPixKeyHandlers),
    ...testControls,
    ...sessionTestControlHandlers(testControls),
    ...(yield* makeApiKeyHandlers),
    ...(yield* makeEndpointHandlers),
    ...(yield* makeAuthHandlers),
    ...(yield* makeMailedHandlers),
    ...(yield* makeSessionHandlers),
    ...(yield* makeInviteHandlers),
    ...(yield* makeSecondStepHandlers),
    ...(yield* makePasskeyHandlers),
    ...(yield* makeSecurityHandlers),
    ...(yield* makeSellerHandlers),
    ...(yield* makeDestinationHandlers),
    ...(yield* makeNotificationHandlers),
    ...(yield* makeReportHandlers),
    ...(yield* makeSellerAuditHandlers(openFile)),
    ...(yield* makeQueueHandlers),
    ...(yield* makeOperatorSearchHandlers),
    ...(yield* makeAdminHandlers),
    ...(yield* makeOperatorWithdrawalHandlers),
    ...(yield* makeOperatorTransactionHandlers),
    ...(yield* makeOperatorRefundHandlers),
    ...(yield* makeOperatorUserHandlers),
    ...(yield* makeClosingHandlers),
    ...(yield* makeExceptionHandlers),
    ...(yield* makeOperationsHandlers),
    ...(yield* makeHealthHandlers(version)),
  }
  return handlers
})
