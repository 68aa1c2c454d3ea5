import { assert, describe, it } from "@effect/vitest"
import type { StoredException } from "../../../actors/ports/exceptionStore.ts"
import { type BankWord, bankRefusal, decidingWord } from "../../../actors/seller/decisions/bankWord.ts"
import { exceptionOfNobody } from "../../../actors/seller/decisions/exceptionDocument.ts"

const found = { kind: "payout_stuck", about: "wd_1", acquirer: "elsewhere", amount: 1, details: {} } as const
const exception: StoredException = {
  ...exceptionOfNobody(found, "elsewhere:1", 1, 0),
  ...{ state: "open", version: 1, pending: "" },
}

const gone: BankWord = { kind: "said", status: "paid", isGone: true, reference: "E1" }
const open: BankWord = { kind: "said", status: "processing", isGone: undefined }
const never: BankWord = { kind: "said", status: "unknown", isGone: false }
const silent: BankWord = { kind: "silent", reason: "503" }

const outcome = (act: "settle" | "fail", words: ReadonlyArray<BankWord>, isWithoutBank = false) => {
  const refused = bankRefusal(exception, act, words, isWithoutBank)
  return refused === undefined ? "done" : (refused.details?.bank_says ?? refused.code)
}

describe("what the bank's sources say of an act", () => {
  for (const [what, words, settle, fail] of [
    ["money that left by one source has left, whatever the other says", [never, gone], "done", "paid"],
    ["money that left has left though the other does not answer", [silent, gone], "done", "paid"],
    ["what no source knows has not left", [never, never], "unknown", "done"],
    ["what one source has not decided is not decided", [open, never], "done", "done"],
    ["a source that does not answer may know of money that left", [never, silent], "503", "503"],
    ["an answer that decides nothing does not make up for a missing one", [open, silent], "503", "503"],
    ["no source answers", [silent], "503", "503"],
    ["nobody was asked: it has ended here", [], "done", "done"],
  ] as const) {
    it(what, () => {
      const shown = (word: unknown) => (word === "service_unavailable" ? "503" : word)
      assert.deepStrictEqual([shown(outcome("settle", words)), shown(outcome("fail", words))], [settle, fail])
    })
  }

  it("without_bank stands in for missing answers, and against none", () => {
    assert.strictEqual(outcome("settle", [silent], true), "done")
    assert.strictEqual(outcome("fail", [open, silent], true), "done")
    assert.strictEqual(outcome("fail", [never, silent], true), "done")
    assert.strictEqual(outcome("settle", [never, silent], true), "unknown")
    assert.strictEqual(outcome("fail", [silent, gone], true), "paid")
  })

  it("the id of what left is that of the source that says so", () => {
    assert.deepInclude(decidingWord([never, silent, gone]), { reference: "E1" })
    assert.isUndefined(decidingWord([silent]))
  })
})
