import { describe, expect, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { AlertStore } from "../../../actors/ports/alertStore.ts"
import { ExceptionStore } from "../../../actors/ports/exceptionStore.ts"
import { exampleInFeed } from "../../../schema/eventExamples.ts"
import { eventCatalog } from "../../../schema/events.ts"
import { limits } from "../../../schema/limits.ts"
import { alertWhens } from "../../../schema/names.ts"
import { exampleException } from "../../../schema/resources/exception.ts"
import { makeAlertNews } from "../../../src/accounts/alerts/alertNews.ts"
import { alertText } from "../../../src/mail/alertTexts.ts"
import { newExceptionBeside } from "../../conformance/exceptions.ts"
import { move, openCharge, openShop } from "../../conformance/fixtures.ts"
import { makeStage, Stage, type StoreServices } from "../../conformance/stage.ts"
import { MemoryStoreLive } from "../../model/memoryStore.ts"

const settings = { eventRetentionMillis: 30 * 24 * 60 * 60 * 1000, partitions: 64 }

/** A shop that wants to hear of everything by mail. */
const openCurious = Effect.gen(function* () {
  const { live } = yield* openShop()
  const store = yield* AlertStore
  const choice = {
    settings: "sealed",
    mail: alertWhens,
    url: [],
    balanceBelow: undefined,
    chargeFrom: undefined,
  }
  yield* store.save(live.sellerId, choice)
  /** The texts of what is due. */
  const told = Effect.gen(function* () {
    const newsOf = yield* makeAlertNews
    const { claimed } = yield* store.claim(live.sellerId)
    const news = yield* Effect.forEach(claimed, (alert) => newsOf(alert, 100_000))
    return news.map((one) => (one === undefined ? undefined : alertText(one)))
  })
  return { live, store, told }
})

const onStage = (
  program: Effect.Effect<void, unknown, StoreServices | Stage | Scope.Scope>,
): Effect.Effect<void, unknown> =>
  Effect.flatMap(makeStage<never>(settings, {}), (stage) =>
    Effect.provideService(program, Stage, stage),
  ).pipe(Effect.scoped, Effect.provide(MemoryStoreLive(settings)))

/** What a feed would hold of an event. */
const exampleOf = (type: string): string => {
  const entry = eventCatalog.find((item) => item.type === type)
  if (entry === undefined) throw new Error(`no event ${type}`)
  return JSON.stringify(exampleInFeed(entry).data.object)
}

describe("what alerts tell", () => {
  for (const [type, subject, path] of [
    ["withdrawal.failed", "Um saque falhou", /^\/app\/withdrawals\/wd_/],
    ["withdrawal.returned", "Um saque foi devolvido pelo banco", /^\/app\/withdrawals\/wd_/],
    ["refund.failed", "Uma devolução falhou", /^\/app\/charges\/txn_/],
    ["seller.webhook_endpoint_disabled", "Um endpoint de webhooks foi desativado", /^\/app\/webhooks$/],
  ] as const) {
    it.effect(`${type} is told with ids and amounts alone`, () =>
      Effect.gen(function* () {
        const { live, told } = yield* openCurious
        const document = exampleOf(type)
        yield* move(yield* openCharge(live), "failed", { eventType: type, document })
        const [text, ...others] = yield* told
        expect(others).toEqual([])
        expect(text?.subject).toBe(subject)
        expect(text?.path).toMatch(path)
        const whole = text?.lines.join("\n") ?? ""
        expect(whole).not.toMatch(/undefined|NaN|@/)
        if (type !== "seller.webhook_endpoint_disabled") expect(whole).toMatch(/R\$ \d/)
      }).pipe(onStage),
    )
  }

  it.effect("a stuck payout is told with its withdrawal and amount", () =>
    Effect.gen(function* () {
      const { live, told } = yield* openCurious
      const { sellerId } = live
      const about = {
        resource_type: "withdrawal",
        resource_id: "wd_01KA0000000700000000000000",
        amount: 12_345,
      }
      const document = JSON.stringify({ ...exampleException, ...about, kind: "payout_stuck" })
      const stuck = yield* newExceptionBeside(sellerId, { kind: "payout_stuck", sellerId, document })
      yield* (yield* ExceptionStore).open(stuck)
      const [text] = yield* told
      expect(text?.lines[0]).toContain("R$ 123,45 (wd_01KA0000000700000000000000)")
    }).pipe(onStage),
  )

  it.effect("a sign-in is told by its device, a held back kind by its name", () =>
    Effect.gen(function* () {
      const { live, store, told } = yield* openCurious
      yield* store.raise(live.sellerId, "new_sign_in", "1795262400000 Chrome, Windows")
      expect((yield* told)[0]?.lines).toContain("Dispositivo: Chrome, Windows")
      for (let i = 0; i < limits.alertsPerHourMax; i++)
        yield* store.raise(live.sellerId, "new_sign_in", `${i} x`)
      const texts = [...(yield* told), ...(yield* told)]
      expect(texts.at(-1)?.subject).toBe("Muitos alertas: novo acesso")
    }).pipe(onStage),
  )

  it.effect("what an alert is about may be kept no more: it is told no more either", () =>
    Effect.gen(function* () {
      const { live, store, told } = yield* openCurious
      yield* store.raise(live.sellerId, "payout_failed", "1-1")
      yield* store.raise(live.sellerId, "payout_stuck", "exc_01KA0000000000000000000000")
      yield* store.raise(live.sellerId, "endpoint_failing", "we_01KA0000000000000000000000 1 3")
      expect(yield* told).toEqual([undefined, undefined, undefined])
    }).pipe(onStage),
  )
})
