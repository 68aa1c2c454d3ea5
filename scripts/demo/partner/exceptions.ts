import { Effect } from "effect"
import type { Exception, ExceptionAct } from "../../../schema/resources/exception.ts"
import { DemoFailed, waitUntil } from "../demoFailed.ts"
import { reais, short } from "../format.ts"
import type { PartnerScene } from "./scene.ts"

interface Page<A> {
  readonly data: ReadonlyArray<A>
}

/** The exceptions that wait for an operator. */
export const openExceptions = ({ service, operator }: PartnerScene) =>
  Effect.map(
    service.call<Page<Exception>>("/v1/admin/exceptions?state=open", { cookie: operator }),
    ({ data }) => data,
  )

/** Waits for the open exception of a Pix or a payout, by its end-to-end id, and shows it. */
export const findException = Effect.fnUntraced(function* (
  scene: PartnerScene,
  kind: Exception["kind"],
  endToEndId: string | undefined,
) {
  const isIt = (one: Exception) => one.kind === kind && one.details.end_to_end_id === endToEndId
  const found = yield* waitUntil(
    kind,
    Effect.map(openExceptions(scene), (open) => open.find(isIt)),
  )
  scene.terminal.bad(
    `${short(found.id)} ${kind}, ${reais(found.amount)}, ${found.state}: an operator must decide`,
  )
  return found
})

/** The operator asks for an act. */
export const ask = Effect.fnUntraced(function* (
  { terminal, service, operator }: PartnerScene,
  { id }: Exception,
  act: ExceptionAct,
  reason: string,
) {
  const path = `/v1/admin/exceptions/${id}/resolve`
  const resolution = { act, reason }
  terminal.command(`POST ${path} ${JSON.stringify(resolution)}`)
  yield* service.call(path, { cookie: operator, body: resolution })
})

/** Shows that an exception is resolved. */
export const showResolved = Effect.fnUntraced(function* (
  { terminal, service, operator }: PartnerScene,
  { id, kind }: Exception,
) {
  const { state, act } = yield* service.call<Exception>(`/v1/admin/exceptions/${id}`, { cookie: operator })
  if (state !== "resolved") return yield* new DemoFailed({ message: `the ${kind} is still ${state}` })
  terminal.good(`${short(id)} ${kind}, ${state} by ${act}`)
})
