import type { OperatorWithdrawal } from "../../../../schema/api/operatorWithdrawals.ts"
import type { OperatorPixKey } from "../../../../schema/api/pixKeys.ts"
import { formLimits } from "../../../../schema/formLimits.ts"
import type { Mode } from "../../../../schema/ids.ts"
import { call } from "../../api/http.ts"

/** Names one of a seller's withdrawals or Pix keys. */
export interface OfSeller {
  readonly sellerId: string
  readonly mode: Mode
  readonly id: string
}

const queryOf = ({ sellerId, mode }: OfSeller) => ({
  seller_id: sellerId,
  mode,
  limit: formLimits.pageSizeMax,
})

/** One of a seller's newest withdrawals; undefined where it is not among them. */
export const readOneWithdrawal = async (
  one: OfSeller,
  signal: AbortSignal,
): Promise<OperatorWithdrawal | undefined> => {
  const { data } = await call("GET /v1/admin/withdrawals", { query: queryOf(one), signal })
  return data.find(({ id }) => id === one.id)
}

/** One of a seller's Pix keys; undefined once it was removed. */
export const readOnePixKey = async (
  one: OfSeller,
  signal: AbortSignal,
): Promise<OperatorPixKey | undefined> => {
  const { data } = await call("GET /v1/admin/pix-keys", { query: queryOf(one), signal })
  return data.find(({ id }) => id === one.id)
}
