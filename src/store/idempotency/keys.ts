import type { Mode } from "../../../schema/ids.ts"
import { tagOf } from "../tags.ts"

/** Hash: what an `Idempotency-Key` holds. */
export const idempotencyKey = (sellerId: string, mode: Mode, route: string, key: string): string =>
  `idem:${tagOf(sellerId)}:${sellerId}:${mode}:${route}:${key}`
