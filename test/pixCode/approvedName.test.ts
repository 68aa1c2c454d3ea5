import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { hasError, isDynamicPix, parsePix } from "pix-utils"
import { PixCode } from "../../actors/ports/pixCode.ts"
import { PixCodeLive } from "../../src/pixCode/pixCode.ts"

const location = "pix.example.com/qr/v2/1"

/** The merchant's name in the code of a charge whose seller has this approved name. */
const nameIn = (approvedName: string | undefined) =>
  Effect.map(PixCode, ({ encode }) => {
    const parsed = parsePix(encode(location, approvedName))
    if (hasError(parsed) || !isDynamicPix(parsed)) throw new Error(JSON.stringify(parsed))
    assert.strictEqual(parsed.merchantCity, "RECIFE")
    return parsed.merchantName
  })

describe("the name in a code", () => {
  it.effect(
    "a code names the approved legal name in 25 ASCII characters, or else the service's merchant",
    () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* nameIn(undefined), "CORRENTE")
        assert.strictEqual(yield* nameIn("Padaria São João Ltda"), "Padaria Sao Joao Ltda")
        assert.strictEqual(yield* nameIn("Padaria São João Ltda"), "Padaria Sao Joao Ltda")
        assert.strictEqual(yield* nameIn("N".repeat(25)), "N".repeat(25))
        assert.strictEqual(yield* nameIn("N".repeat(26)), "N".repeat(25))
        assert.strictEqual(yield* nameIn("Пекарня"), "CORRENTE")
        assert.strictEqual(yield* nameIn("–"), "CORRENTE")
      }).pipe(Effect.provide(PixCodeLive({ merchantName: "CORRENTE", merchantCity: "RECIFE" }))),
  )
})
