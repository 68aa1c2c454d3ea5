import { Clock, Effect } from "effect"
import { ApiError } from "../../../schema/errors.ts"
import { withdrawalEventType } from "../../../schema/events.ts"
import { partitionOfId } from "../../../schema/ids.ts"
import type { CreateWithdrawal, Withdrawal } from "../../../schema/resources/withdrawal.ts"
import { madeTraceId } from "../../../schema/trace.ts"
import { Acquirers } from "../../ports/acquirer.ts"
import { Identifiers } from "../../ports/identifiers.ts"
import type { StoredPixKey } from "../../ports/pixKeyStore.ts"
import { DocumentSealer, SecretOpener } from "../../ports/secretOpener.ts"
import { SimulatedOperator } from "../../ports/simulatedOperator.ts"
import {
  type CreateWithdrawalCommit,
  type WithdrawalPreconditions,
  WithdrawalStore,
} from "../../ports/withdrawalStore.ts"
import { changedByOthers, decideAndCommit, stale } from "../../runtime/decideAndCommit.ts"
import { sealedPlaces } from "../../values/sealedPlaces.ts"
import { asAct } from "../../values/sellerAct.ts"
import { StoreUnavailable } from "../../values/storeUnavailable.ts"
import type { Timer } from "../../values/timer.ts"
import { creationId } from "../../values/traceSpan.ts"
import { type CreateAnswer, type CreateRequest, makeSaveError } from "../createAnswer.ts"
import { accountFor } from "../decisions/acquirerAccount.ts"
import { withdrawalHeld } from "../decisions/movements.ts"
import { type SellerTime, shownTime, timerAt } from "../decisions/sellerTime.ts"
import { type AllowedWithdrawal, decideWithdrawal, withdrawalDay } from "../decisions/withdrawalDecisions.ts"
import { withdrawalTimers } from "../decisions/withdrawalTransitions.ts"
import { operation, operationProgram, orUnavailable } from "../operation.ts"

/** POST /v1/withdrawals (docs/contract/withdrawals.md#create). */
export type CreateWithdrawalRequest = CreateRequest<CreateWithdrawal>

/** A new withdrawal; the order of fields is the wire's. */
const newWithdrawal = (
  id: string,
  { body, principal: { mode }, traceId = madeTraceId(id) }: CreateWithdrawalRequest,
  { pixKey, fee, total, isApproved }: AllowedWithdrawal,
  nowText: string,
): Withdrawal => ({
  id,
  object: "withdrawal",
  trace_id: traceId,
  mode,
  status: isApproved ? "approved" : "awaiting",
  amount: body.amount,
  fee,
  total,
  currency: "BRL",
  description: body.description ?? null,
  pix_key_id: pixKey.id,
  pix_key: { type: pixKey.type, value: pixKey.maskedValue },
  end_to_end_id: null,
  failure_reason: null,
  created_at: nowText,
  updated_at: nowText,
  approved_at: isApproved ? nowText : null,
  processing_at: null,
  completed_at: null,
})

/** Who acts next: the payout worker, test mode's simulated operator, or, in live, a real operator. */
const firstTimers = (
  { id, status, mode }: Withdrawal,
  operatorDelayMillis: number,
  time: SellerTime,
): ReadonlyArray<Timer> => {
  if (status === "approved") return [timerAt(time, withdrawalTimers.pay, id, time.nowMillis)]
  if (mode === "live") return []
  return [timerAt(time, withdrawalTimers.decide, id, time.nowMillis + operatorDelayMillis)]
}

/** Makes the program: read the preconditions, decide, and commit where they still hold. */
const makeCreate = Effect.gen(function* () {
  const store = yield* WithdrawalStore
  const opener = yield* SecretOpener
  const sealer = yield* DocumentSealer
  const identifiers = yield* Identifiers
  const operator = yield* SimulatedOperator
  const acquirers = yield* Acquirers
  const saveError = yield* makeSaveError

  /** The value of a PIX key as a withdrawal keeps it: sealed for the withdrawal. */
  const pixValueFor = Effect.fnUntraced(function* (id: string, pixKey: StoredPixKey) {
    const value = opener.open(pixKey.value, sealedPlaces.pixKeyValue(pixKey.id))
    if (value !== undefined) return sealer.seal(value, sealedPlaces.withdrawalPixValue(id))
    const reason = `the value of ${pixKey.id} does not open under ENCRYPTION_KEY`
    return yield* new StoreUnavailable({ operation: "create withdrawal", reason })
  })

  const commitOf = (
    request: CreateWithdrawalRequest,
    id: string,
    preconditions: WithdrawalPreconditions,
    allowed: AllowedWithdrawal,
    pixValue: string,
    time: SellerTime,
  ): CreateWithdrawalCommit => {
    const { principal, body, idempotency } = request
    const withdrawal = newWithdrawal(id, request, allowed, shownTime(time.nowMillis))
    return {
      principal,
      idempotency,
      withdrawal: {
        id,
        sellerId: principal.sellerId,
        mode: principal.mode,
        status: withdrawal.status,
        version: 1,
        document: JSON.stringify(withdrawal),
        ...accountFor(principal.mode, acquirers),
        pixValue,
        day: withdrawalDay(time.nowMillis),
        idempotency: { route: idempotency.route, key: idempotency.key },
      },
      amount: body.amount,
      total: allowed.total,
      decidedOn: {
        sellerVersion: preconditions.seller.version,
        pixKeyId: allowed.pixKey.id,
        pixKeyVersion: allowed.pixKey.version,
        day: preconditions.day,
      },
      eventType: withdrawalEventType(withdrawal.status),
      movement: withdrawalHeld(withdrawal),
      timers: firstTimers(withdrawal, operator.delayMillis, time),
    }
  }

  return Effect.fnUntraced(function* (
    request: CreateWithdrawalRequest,
    time: SellerTime,
  ): Effect.fn.Return<CreateAnswer, ApiError<"service_unavailable"> | StoreUnavailable> {
    const { principal, body, idempotency } = request
    const newId = identifiers.id("wd_", partitionOfId(principal.sellerId) ?? 0, time.nowMillis)
    const id = yield* creationId(newId)
    const day = withdrawalDay(time.nowMillis)
    return yield* decideAndCommit({
      read: store.readPreconditions(principal, idempotency, body.pix_key_id, day),
      attempt: Effect.fnUntraced(function* (found) {
        if (found.kind !== "open") return found
        const trueMillis = yield* Clock.currentTimeMillis
        const decision = decideWithdrawal(body.amount, principal.mode, found, trueMillis)
        if (decision instanceof ApiError) return yield* saveError(request, decision)
        const pixValue = yield* pixValueFor(id, decision.pixKey)
        const commit = commitOf(request, id, found, decision, pixValue, time)
        const answer = yield* store.create(commit)
        if (answer.kind === "created") {
          return { kind: "answered", status: 201, body: commit.withdrawal.document } as const
        }
        return answer.kind === "stale" ? stale : answer
      }),
      giveUp: () => changedByOthers("account"),
    })
  })
})

/** Requests a withdrawal. */
export const createWithdrawal = operation(
  "createWithdrawal",
  Effect.gen(function* () {
    const create = yield* makeCreate
    return operationProgram({
      sellerOf: ({ principal }: CreateWithdrawalRequest) => principal.sellerId,
      lane: () => undefined,
      run: (request, seller) =>
        Effect.flatMap(seller.freshTimeOf(request.principal.mode), (time) =>
          asAct(request.act, create(request, time)),
        ),
      call: (request: CreateWithdrawalRequest, { ask }) =>
        orUnavailable(ask(request), "Send it again with the same Idempotency-Key."),
    })
  }),
)
