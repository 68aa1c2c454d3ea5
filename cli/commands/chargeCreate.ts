import { Clock, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import type { CreateTransaction, Transaction } from "../../client/src/index.ts"
import { optionalFlag, textFlag } from "../../src/ops/parameters.ts"
import { inert } from "../../src/ops/text/values.ts"
import { parseSeconds } from "../durations.ts"
import { usageFailure } from "../failure.ts"
import { Output } from "../output.ts"
import { qrPicture } from "../qrPicture.ts"
import { openSession, type Session } from "../session.ts"
import { chargeText } from "../texts.ts"
import { sampleCharge } from "../triggers.ts"

const flags = {
  amount: Flag.Int("amount").pipe(
    Flag.withMetavar("CENTAVOS"),
    Flag.withDescription("12990 is R$ 129,90. In test mode its last two digits decide what happens."),
  ),
  name: optionalFlag(textFlag("name", "NAME", "The customer's name; in test mode there is a default.")),
  email: optionalFlag(textFlag("email", "EMAIL", "The customer's e-mail; in test mode there is a default.")),
  document: optionalFlag(
    textFlag("document", "CPF_OR_CNPJ", "The customer's document; in test mode there is a default."),
  ),
  item: textFlag("item", "TEXT", "What is sold.").pipe(Flag.withDefault("Charge from the command line")),
  expiresIn: optionalFlag(
    textFlag("expires-in", "DURATION", "Until when it can be paid: 90s, 15m, 2h, 1d; 1d by default."),
  ),
  reference: optionalFlag(
    textFlag("reference", "TEXT", "Your own number of the order, by which it is found."),
  ),
  description: optionalFlag(textFlag("description", "TEXT", "What the charge is for.")),
  showOnPage: optionalFlag(
    Flag.Boolean("show-on-page").pipe(
      Flag.withDescription("Show the reference and the description on the payment page."),
    ),
  ),
  returnUrl: optionalFlag(textFlag("return-url", "URL", "Where the payment page leads back to, by https.")),
  postbackUrl: optionalFlag(textFlag("postback-url", "URL", "Where events of this charge are delivered.")),
  idempotencyKey: optionalFlag(
    textFlag("idempotency-key", "KEY", "The same key and charge make one charge, however often."),
  ),
  qr: optionalFlag(
    Flag.Boolean("qr").pipe(Flag.withDescription("Draw the QR code; by default on a terminal.")),
  ),
}

interface Wanted {
  readonly amount: number
  readonly name: string | undefined
  readonly email: string | undefined
  readonly document: string | undefined
  readonly item: string
  readonly expiresIn: string | undefined
  readonly reference: string | undefined
  readonly description: string | undefined
  readonly showOnPage: boolean | undefined
  readonly returnUrl: string | undefined
  readonly postbackUrl: string | undefined
}

const customerOf = Effect.fnUntraced(function* ({ mode }: Session, wanted: Wanted) {
  const sample = sampleCharge(wanted.amount).customer
  const customer = { ...sample }
  for (const field of ["name", "email", "document"] as const) {
    const given = wanted[field]
    if (given === undefined && mode === "live") {
      return yield* usageFailure(field, `--${field} is needed: this is a live key, and the charge is real.`)
    }
    customer[field] = given ?? sample[field]
  }
  return customer
})

const bodyOf = Effect.fnUntraced(function* (session: Session, wanted: Wanted) {
  const { amount, item, expiresIn, reference, description } = wanted
  const seconds = expiresIn === undefined ? undefined : parseSeconds(expiresIn)
  if (expiresIn !== undefined && seconds === undefined) {
    return yield* usageFailure("expires-in", "--expires-in must be a number with its unit: 90s, 15m, 2h, 1d.")
  }
  const body: CreateTransaction = {
    amount,
    payment_method: "pix",
    customer: yield* customerOf(session, wanted),
    items: [{ name: item, quantity: 1, unit_amount: amount }],
    ...(seconds === undefined ? {} : { pix: { expires_in_seconds: seconds } }),
    reference: reference ?? null,
    description: description ?? null,
    show_on_page: wanted.showOnPage ?? null,
    return_url: wanted.returnUrl ?? null,
    postback_url: wanted.postbackUrl ?? null,
  }
  return body
})

const tellCharge = Effect.fnUntraced(function* (
  charge: Transaction,
  millis: number,
  isDrawn: boolean | undefined,
) {
  const output = yield* Output
  const { payload } = charge.pix
  const picture = (isDrawn ?? output.isTerminal) ? qrPicture(payload, output.hasColours) : []
  yield* output.tell({
    json: charge,
    text: [
      `${chargeText(output, charge)}  ${output.paint("dim", `${millis} ms`)}`,
      ...picture,
      "Copy and paste:",
      output.paint("yellow", inert(payload)),
      "Payment page:",
      output.paint("yellow", inert(charge.payment_url)),
    ].join("\n"),
  })
})

/** Makes a charge and shows its code. */
export const chargeCreate = Command.make(
  "create",
  flags,
  Effect.fnUntraced(function* ({ idempotencyKey, qr, ...wanted }) {
    const session = yield* openSession()
    const body = yield* bodyOf(session, wanted)
    const startedMillis = yield* Clock.currentTimeMillis
    const charge = yield* session.call((corrente, options) =>
      corrente.transactions.create(body, { ...options, idempotencyKey }),
    )
    yield* tellCharge(charge, (yield* Clock.currentTimeMillis) - startedMillis, qr)
  }),
).pipe(Command.withDescription("Make a charge, and print its copy-and-paste code and its QR code."))
