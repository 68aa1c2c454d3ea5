import type { Check } from "../report/result.ts"
import type { Side } from "../support/sides.ts"

/** How much the QR pictures' lengths may differ: they are compressed differently. */
const qrToleranceCharacters = 200

const body = JSON.stringify({
  amount: 1_000_001,
  payment_method: "pix",
  customer: { name: "Ana Lima", email: "ana@example.com", document: "529.982.247-25" },
  items: [{ name: "Livro", quantity: 1, unit_amount: 1_000_001 }],
  metadata: { order: 7 },
})

interface Charge {
  readonly id: string
  readonly customer: { readonly document: string }
  readonly pix: { readonly qr_base64: string }
}

/** Every path of a JSON value with its type, in order. */
const shapeOf = (value: unknown, path = ""): ReadonlyArray<string> =>
  value !== null && typeof value === "object"
    ? Object.entries(value).flatMap(([name, item]) => shapeOf(item, `${path}.${name}`))
    : [`${path}: ${value === null ? "null" : typeof value}`]

type AskedSide = Pick<Side, "name" | "port" | "apiKey">

const askSide = async (side: AskedSide) => {
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
  const charge = JSON.parse(createdText) as Charge
  const textOf = async (path: string) => (await fetch(url + path, { headers: { authorization } })).text()
  const readText = await textOf(`/${charge.id}`)
  const listText = await textOf("?limit=50")
  const isMarked =
    created.headers.get("idempotent-replayed") === null &&
    replayed.headers.get("idempotent-replayed") === "true"
  const qrLength = charge.pix.qr_base64.length
  return {
    isConsistent: createdText === readText && createdText === replayedText && isMarked,
    isListed: listText === `{"data":[${createdText}],"next_cursor":null}`,
    document: charge.customer.document,
    shape: shapeOf(charge).join("\n"),
    lengthBesidesQr: readText.length - qrLength,
    qrLength,
  }
}

type Answers = Awaited<ReturnType<typeof askSide>>

/** This contender's QR is the package's own picture, as its users have it. */
const hasOwnQr = ({ name }: AskedSide): boolean => name === "fastify-qrcode"

/**
 * Proves that all sides respond alike: one charge each, created, replayed, read and listed, with the same fields in the
 * same order and of the same length except for the QR. A peer that did less would be a wrong yardstick.
 */
export const compareAnswers = async (sides: ReadonlyArray<AskedSide>): Promise<Check> => {
  const answers = await Promise.all(sides.map(askSide))
  const isSame = (of: (answer: Answers) => string | number) => new Set(answers.map(of)).size === 1
  const qrLengths = answers.flatMap(({ qrLength }, at) => {
    const side = sides[at]
    return side === undefined || hasOwnQr(side) ? [] : [qrLength]
  })
  const faults = [
    answers.every(({ isConsistent }) => isConsistent) || "the created, replayed and read charge differ",
    answers.every(({ isListed }) => isListed) || "the list does not show the created charge",
    isSame(({ shape }) => shape) || "the fields differ",
    isSame(({ document }) => document) || "the customers' documents differ",
    isSame(({ lengthBesidesQr }) => lengthBesidesQr) || "the lengths differ",
    Math.max(...qrLengths) - Math.min(...qrLengths) <= qrToleranceCharacters || "the QRs' lengths differ",
  ].filter((fault) => fault !== true)
  const lengths = sides
    .map(({ name }, at) => `${name} ${answers[at]?.lengthBesidesQr} + ${answers[at]?.qrLength}`)
    .join(", ")
  return {
    name: "same answers",
    isRight: faults.length === 0,
    detail: `${faults.join("; ") || "created, replayed, read and listed, field by field"}; characters and of the QR: ${lengths}`,
  }
}
