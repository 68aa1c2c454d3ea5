import { describe, expect, it } from "vitest"
import { parseAttemptDetail } from "../../../actors/endpoint/attemptPlan.ts"
import { readPending } from "../../../actors/seller/decisions/exceptionActs.ts"
import {
  parseAttempt,
  parseCharge,
  parseHeaders,
  parseRefund,
  parseWithdrawal,
} from "../../../actors/values/storedDocuments.ts"
import { exampleAttempt } from "../../../schema/resources/delivery.ts"
import { exampleRefund } from "../../../schema/resources/refund.ts"
import { exampleTransaction } from "../../../schema/resources/transaction.ts"
import { exampleWithdrawal } from "../../../schema/resources/withdrawal.ts"

const pendingAct = {
  act: "refund",
  operator_ids: ["user"],
  reason: "twice",
  seller_id: null,
  stage: "going",
  refund_id: null,
  sent_millis: null,
}
const detail = { request_headers: { "X-Attempt": "1" }, response_body_excerpt: null, path: "/hooks" }

describe("stored documents", () => {
  it.each<readonly [string, (text: string) => unknown, object, object]>([
    ["charge", parseCharge, exampleTransaction, { amount: "100" }],
    ["withdrawal", parseWithdrawal, exampleWithdrawal, { status: "unheard of" }],
    ["refund", parseRefund, exampleRefund, { origin: 1 }],
    ["attempt", parseAttempt, exampleAttempt, { attempt: 1.5 }],
    ["attempt's detail", parseAttemptDetail, detail, { path: 1 }],
    ["set of headers", parseHeaders, { "X-Shop": "1" }, { "X-Shop": 1 }],
    ["act on an exception", (pending) => readPending({ pending }), pendingAct, { stage: "gone" }],
  ])(
    "a stored %s is read, and a defect where a field is not what its schema says",
    (_, parse, whole, damage) => {
      expect(parse(JSON.stringify(whole))).toEqual(whole)
      expect(() => parse(JSON.stringify({ ...whole, ...damage }))).toThrow("does not fit its schema")
      expect(() => parse("{")).toThrow()
    },
  )
})
