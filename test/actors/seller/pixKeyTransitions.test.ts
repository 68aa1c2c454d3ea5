import { describe, expect, it } from "vitest"
import { decidePixKey } from "../../../actors/seller/decisions/pixKeyDecisions.ts"
import { ApiError } from "../../../schema/errors.ts"
import { pixKeyStatuses } from "../../../schema/resources/pixKey.ts"

/** All transitions of a PIX key (docs/contract/pix-keys.md#states). */
const allowed: ReadonlySet<string> = new Set([
  "pending_approval -> verified",
  "pending_approval -> refused",
  "pending_approval -> removed",
  "verified -> removed",
  "refused -> removed",
])

const nowMillis = Date.parse("2026-11-21T00:07:35.123Z")
const pairs = pixKeyStatuses.flatMap((from) => pixKeyStatuses.map((to) => [from, to] as const))

describe("a PIX key", () => {
  it.each(pairs)("a PIX key that is %s becomes %s only if the contract allows it", (from, to) => {
    const pixKey = {
      id: "pk_1",
      sellerId: "sel_1",
      mode: "live",
      type: "evp",
      value: "ciphertext",
      valueHash: "hash",
      maskedValue: "masked",
      status: from,
      version: 7,
      createdAt: "2026-11-20T00:00:00.000Z",
      verifiedAt: undefined,
    } as const
    const decision = decidePixKey(pixKey, to, nowMillis)
    expect(!(decision instanceof ApiError)).toBe(allowed.has(`${from} -> ${to}`))
    expect(decision).toMatchObject(
      decision instanceof ApiError
        ? { code: "invalid_state", details: { status: from } }
        : { pixKey, to, verifiedAt: to === "verified" ? "2026-11-21T00:07:35.123Z" : undefined },
    )
  })
})
