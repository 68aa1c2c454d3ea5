import type { Check } from "../report/result.ts"
import type { Side } from "../support/sides.ts"

/** How much the bodies' lengths may differ: the two QR pictures are compressed in different ways. */
const lengthToleranceBytes = 200

const body = JSON.stringify({
  amount: 1_000_001,
  payment_method: "pix",
  customer: { name: "Ana Lima", email: "ana@example.com", document: "529.982.247-25" },
  items: [{ name: "Livro", quantity: 1, unit_amount: 1_000_001 }],
  metadata: { order: 7 },
})

/** Every path of a JSON value with its type, in order. */
const shapeOf = (value: unknown, path = ""): ReadonlyArray<string> =>
  value !== null && typeof value === "object"
    ? Object.entries(value).flatMap(([name, item]) => shapeOf(item, `${path}.${name}`))
    : [`${path}: ${value === null ? "null" : typeof value}`]

const askSide = async (side: Side) => {
  const url = `http://127.0.0.1:${side.port}/v1/transactions`
  const authorization = `Bearer ${side.apiKey}`
  const headers = { authorization, "content-type": "application/json", "idempotency-key": "compare" }
  const created = await fetch(url, { method: "POST", headers, body })
  const createdText = await created.text()
  const replayed = await fetch(url, { method: "POST", headers, body })
  const replayedText = await replayed.text()
  if (created.status !== 201 || replayed.status !== 201) {
    throw new Error(`${side.name} answered ${created.status} ${createdText}, then ${replayed.status}`)
  }
  const charge = JSON.parse(createdText) as { readonly id: string; readonly customer: { document: string } }
  const read = await fetch(`${url}/${charge.id}`, { headers: { authorization } })
  const readText = await read.text()
  return {
    isConsistent: createdText === readText && createdText === replayedText,
    document: charge.customer.document,
    shape: shapeOf(charge).join("\n"),
    length: readText.length,
  }
}

type Answers = Awaited<ReturnType<typeof askSide>>

/**
 * Proves that all sides give the same answers: one charge each, created, replayed and read, with the same fields in the
 * same order and of about the same length. A bare server that did less would be no measure.
 */
export const compareAnswers = async (sides: ReadonlyArray<Side>): Promise<Check> => {
  const answers = await Promise.all(sides.map(askSide))
  const lengths = answers.map(({ length }) => length)
  const isSame = (of: (answer: Answers) => string) => new Set(answers.map(of)).size === 1
  const faults = [
    answers.every(({ isConsistent }) => isConsistent) ||
      "a created charge, its replay and its reading differ",
    isSame(({ shape }) => shape) || "the fields differ",
    isSame(({ document }) => document) || "the customers' documents differ",
    Math.max(...lengths) - Math.min(...lengths) <= lengthToleranceBytes || "the lengths differ",
  ].filter((fault) => fault !== true)
  const characters = sides.map(({ name }, index) => `${name} ${lengths[index]}`).join(", ")
  return {
    name: "same answers",
    isRight: faults.length === 0,
    detail: `${faults.join("; ") || "created, replayed and read, field by field"}; characters: ${characters}`,
  }
}
