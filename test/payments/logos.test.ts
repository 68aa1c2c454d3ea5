import { deflateSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { PNG } from "pngjs"
import { limits } from "../../schema/limits.ts"
import { Logos, LogosLive } from "../../src/payments/logos/logos.ts"
import rewrite from "../../src/payments/logos/logoWorker.ts"
import { chunksOf, drawn, withChunk } from "../support/pngs.ts"

const rewritten = (file: Buffer): Buffer => Buffer.from(rewrite(file) ?? assert.fail("no PNG"))
const pixelsOf = (file: Buffer): Buffer => PNG.sync.read(file).data

const noise = (seed: number): number => Math.abs(Math.sin(seed * 12.9898) * 43_758.5453) % 1

const pictures = {
  coloured: drawn(40, 20, (x, y) => [x * 6, y * 12, 90, 255]),
  transparent: drawn(40, 20, (x, y) => [x * 6, y * 12, 90, x]),
  grey: drawn(40, 20, (x, y) => [x + y, x + y, x + y, 255]),
  "grey and transparent": drawn(40, 20, (x) => [x, x, x, 255 - x]),
  flat: drawn(300, 100, (x) => (x < 150 ? [122, 60, 255, 255] : [255, 176, 32, 255])),
}

describe("a logo written anew", () => {
  for (const [kind, picture] of Object.entries(pictures)) {
    it(`a ${kind} picture keeps its pixels, and written again its bytes`, () => {
      const once = rewritten(picture)
      assert.deepStrictEqual(pixelsOf(once), pixelsOf(picture))
      assert.deepStrictEqual(rewritten(once), once)
      assert.isAtMost(once.length, picture.length + 64)
    })
  }

  it("texts, gamma, profiles, animations and what follows the end are not in it", () => {
    const { coloured } = pictures
    const gamma = Buffer.alloc(4)
    gamma.writeUInt32BE(45_455)
    const burdened = [
      ["tEXt", Buffer.from("Author\0Ana")],
      ["zTXt", Buffer.concat([Buffer.from("Comment\0\0"), deflateSync("x".repeat(1_000))])],
      ["eXIf", Buffer.from("MM\0*GPS")],
      ["gAMA", gamma],
      ["acTL", Buffer.alloc(8)],
      ["prVt", Buffer.from("<script>")],
    ].reduce(
      (png, [name, data]) => withChunk(png as Buffer, String(name), data as Buffer),
      coloured as Buffer,
    )
    const file = Buffer.concat([burdened as Buffer, Buffer.from("PK\x03\x04 <script>alert(1)</script>")])
    assert.deepStrictEqual(chunksOf(rewritten(file)), { names: ["IHDR", "IDAT", "IEND"], rest: 0 })
    assert.deepStrictEqual(rewritten(file), rewritten(coloured))
  })

  it("pixels chosen to hide bytes in the compressed stream are compressed anew", () => {
    const stored = PNG.sync.write(PNG.sync.read(pictures.flat), { deflateLevel: 0, filterType: 0 })
    assert.isBelow(rewritten(stored).length, stored.length / 10)
  })

  it("a file that ends early, has a wrong checksum, no pixels or nothing is none", () => {
    const { coloured } = pictures
    const flipped = Buffer.from(coloured)
    flipped[60] = (flipped[60] ?? 0) ^ 1
    const headAndEnd = Buffer.concat([coloured.subarray(0, 33), coloured.subarray(-12)])
    for (const broken of [coloured.subarray(0, -20), flipped, headAndEnd, coloured.subarray(0, 33)]) {
      assert.isUndefined(rewrite(broken))
    }
  })
})

describe("the thread that writes logos anew", () => {
  const text = pictures.flat.toString("base64")

  it.live("writes one anew, refuses a broken one, and a picture that gets too long", () =>
    Effect.gen(function* () {
      const logos = yield* Logos
      const once = yield* logos.rewrite(text)
      assert.deepStrictEqual(Buffer.from(once, "base64"), rewritten(pictures.flat))
      const broken = yield* Effect.flip(logos.rewrite(pictures.flat.subarray(0, -20).toString("base64")))
      assert.deepStrictEqual([broken.code, broken.param], ["validation_failed", "logo"])
      const side = 200
      const long = drawn(side, side, (x, y) =>
        [1, 2, 3].map((part) => noise(x + y * side + part * 0.1) * 256).concat(255),
      )
      const refused = yield* Effect.flip(logos.rewrite(long.toString("base64")))
      assert.deepStrictEqual([refused.code, refused.param], ["validation_failed", "logo"])
      assert.include(refused.message, `may take ${limits.logoBytesMax}`)
    }).pipe(Effect.provide(LogosLive)),
  )

  it.live("as many logos wait as the limit says, and more are refused", () =>
    Effect.gen(function* () {
      const { rewrite } = yield* Logos
      yield* rewrite(text)
      const asked = limits.logosWaitingMax + 5
      const answers = yield* Effect.all(
        Array.from({ length: asked }, () => Effect.result(rewrite(text))),
        { concurrency: "unbounded" },
      )
      const refused = answers.filter(({ _tag }) => _tag === "Failure").length
      // One is being decoded while the others wait.
      assert.strictEqual(asked - refused, limits.logosWaitingMax + 1)
    }).pipe(Effect.provide(LogosLive)),
  )
})
