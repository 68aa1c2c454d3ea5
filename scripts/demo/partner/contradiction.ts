import { Effect } from "effect"
import type { ServiceHealth } from "../../../schema/api/operations.ts"
import { attempt, DemoFailed, waitUntil } from "../demoFailed.ts"
import { reais } from "../format.ts"
import { readOurBooks, showBooks } from "./books.ts"
import { ask, findException, showResolved } from "./exceptions.ts"
import { payOut } from "./payouts.ts"
import { eventOf, type PartnerScene } from "./scene.ts"

const incomplete = 'corrente_sweeps_total{outcome="incomplete"}'

/** How many sweeps were not complete, as `/metrics` says. */
const incompleteSweeps = ({ service }: PartnerScene) =>
  Effect.gen(function* () {
    const response = yield* service.request("/metrics", {})
    const text = yield* attempt("/metrics", () => response.text())
    const line = text.split("\n").find((one) => one.startsWith(incomplete))
    return Number(line?.slice(incomplete.length) ?? 0)
  })

/** Shows whether payouts are frozen, and fails where they are not as expected. */
const showFreeze = Effect.fnUntraced(function* (
  { terminal, service, operator }: PartnerScene,
  isFrozen: boolean,
) {
  const path = "/v1/admin/health"
  const look = Effect.map(service.call<ServiceHealth>(path, { cookie: operator }), ({ payouts }) =>
    payouts.is_frozen === isFrozen ? payouts : undefined,
  )
  const { reason } = yield* waitUntil(isFrozen ? "freeze" : "end of the freeze", look)
  if (isFrozen) terminal.bad(`GET ${path}: payouts are frozen, ${reason}`)
  else terminal.good(`GET ${path}: payouts are not frozen`)
})

/** Incident 5: the bank's list has a payout as paid that failed here, and its query does not know it. */
export const contradictPayout = Effect.fnUntraced(function* (scene: PartnerScene) {
  const { terminal, bank } = scene
  yield* terminal.step("A contradicted payout: the bank's list and its query tell it differently")
  const { made, idEnvio } = yield* payOut(scene, {
    ...{ amountCentavos: 5_000, description: "Dezembro", end: "failed" },
  })
  const before = yield* incompleteSweeps(scene)
  const body = { nome: "pix_nao_encontrado", mensagem: "Nenhum Pix com este idEnvio." }
  bank.fail(`GET /v2/gn/pix/enviados/id-envio/${idEnvio}`, { kind: "answer", status: 404, body })
  bank.payoutResult(idEnvio, "REALIZADO")
  const endToEndId = bank.payout(idEnvio)?.endToEndId
  terminal.event("bank", `its list has the ${reais(made.amount)} as paid after all: ${endToEndId}`)
  terminal.event("bank", "its query of this one payout answers 404: never heard of it")
  showBooks(scene, "before", yield* readOurBooks(scene))
  const now = yield* waitUntil(
    "sweep",
    Effect.map(incompleteSweeps(scene), (count) => (count > before ? count : undefined)),
  )
  terminal.bad(`the sweep is not complete: ${incomplete} ${now}`)
  for (const line of [
    "A service that started now would hand over no payout. The next sweep, 5 s later, asks again; where the",
    "two still differed after five sweeps and ten minutes, the list alone would make it an exception. Here the",
    "bank's query comes to agree before that.",
  ]) {
    terminal.say(line)
  }
  const found = yield* findException(scene, "payout_contradicted", endToEndId)
  if (found.resource_id !== made.id) {
    return yield* new DemoFailed({ message: "the exception is of another withdrawal" })
  }
  terminal.say(
    `The withdrawal is ${String(found.details.status)} here and ${String(found.details.status_there)} there.`,
  )
  showBooks(scene, "found", yield* readOurBooks(scene))
  yield* showFreeze(scene, true)
  yield* ask(scene, found, "debit", "The receiver has the money")
  yield* eventOf(scene, "withdrawal.debited", made.id)
  yield* showResolved(scene, found)
  yield* showFreeze(scene, false)
  showBooks(scene, "after", yield* readOurBooks(scene))
})
