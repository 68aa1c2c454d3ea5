import { Clock, Effect } from "effect"
import { dayAfter, dayOf } from "../../../actors/values/saoPauloDays.ts"
import { attempt, DemoFailed } from "../demoFailed.ts"
import { reais } from "../format.ts"
import { heldAtBank, readOurBooks, unbooked } from "./books.ts"
import { openExceptions } from "./exceptions.ts"
import type { PartnerScene } from "./scene.ts"

/** A line of a statement as JSON: amounts in centavos. */
interface StatementLine {
  readonly time: string
  readonly description: string
  readonly credit: number
  readonly debit: number
  readonly balance: number
}

const widths = { description: 34, amount: 12 }

const rowOf = (time: string, description: string, ...amounts: ReadonlyArray<string>): string =>
  [
    time.padEnd(8),
    description.padEnd(widths.description),
    ...amounts.map((text) => text.padStart(widths.amount)),
  ]
    .join("  ")
    .trimEnd()

/** Shows the shop's statement; returns its last balance. */
const showStatement = Effect.fnUntraced(function* ({ terminal, service, shop }: PartnerScene) {
  const today = dayOf(yield* Clock.currentTimeMillis)
  // The demo may have begun before midnight.
  const path = `/v1/statement?from=${dayAfter(today, -1)}&to=${today}`
  terminal.say(`The shop's statement, GET ${path}:`)
  const headers = { Accept: "application/x-ndjson" }
  const response = yield* service.request(path, { key: shop.key, headers })
  const text = yield* attempt(path, () => response.text())
  const lines = text
    .split("\n")
    .filter((line) => line !== "")
    .map((line): StatementLine => JSON.parse(line))
  terminal.say(rowOf("time", "description", "credit", "debit", "balance"))
  const shown = (centavos: number) => (centavos === 0 ? "" : reais(centavos))
  for (const { time, description, credit, debit, balance } of lines) {
    terminal.say(rowOf(time, description, shown(credit), shown(debit), reais(balance)))
  }
  return lines.at(-1)?.balance ?? 0
})

/** Compares what the bank holds with our books, to the centavo. */
const compare = Effect.fnUntraced(function* (scene: PartnerScene, balance: number) {
  const { terminal, bank } = scene
  const { received, refunded, sent, returned } = bank.totals()
  const ours = yield* readOurBooks(scene)
  terminal.say(
    `The bank received ${reais(received)} and sent ${reais(refunded)} back; it paid ${reais(sent)} out, and ${reais(returned)} came back.`,
  )
  if (ours.available !== balance || unbooked(bank, ours) !== 0 || (yield* openExceptions(scene)).length > 0) {
    return yield* new DemoFailed({ message: "the bank's books and ours differ" })
  }
  terminal.good(
    `it holds ${reais(heldAtBank(bank))}: ${reais(ours.available)} of the shop and ${reais(ours.fees)} of fees; no exception is open`,
  )
})

/** Shows that every centavo is accounted for: the statement, the bank's books beside ours, and an audit. */
export const closeAccounts = Effect.fnUntraced(function* (scene: PartnerScene) {
  const { terminal, service } = scene
  yield* terminal.step("Every centavo is accounted for")
  const balance = yield* showStatement(scene)
  yield* compare(scene, balance)
  terminal.command(`DATA_DIR='${service.dataDir}' npm run --silent ops -- audit verify --full`)
  const { ok, ledger_entries, transactions, withdrawals, events } = yield* service.ops(
    "audit",
    "verify",
    "--full",
  )
  if (ok !== true) return yield* new DemoFailed({ message: "the audit found a difference" })
  terminal.good(
    `the audit recomputed everything: ${transactions} charge, ${withdrawals} withdrawals, ${ledger_entries} ledger entries, ${events} events; no difference`,
  )
})
