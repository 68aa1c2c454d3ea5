import type { Mode } from "../../../schema/ids.ts"
import { family, type KeyFamilies } from "../keyFamily.ts"
import { tagOf } from "../tags.ts"

/** Hash: what an `Idempotency-Key` holds. */
export const idempotencyKey = (sellerId: string, mode: Mode, route: string, key: string): string =>
  `idem:${tagOf(sellerId)}:${sellerId}:${mode}:${route}:${key}`

/** The key family of `Idempotency-Key`s. */
export const idempotencyFamilies: KeyFamilies = {
  ofMode: ({ sellerId, mode }) => [
    family(
      "idempotency",
      idempotencyKey(sellerId, mode, "*", "*"),
      "hash",
      `the response stored under a ${mode} Idempotency-Key`,
    ),
  ],
}
