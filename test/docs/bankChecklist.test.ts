import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type ApiPixStage, apiPixSettings, openApiPixStage } from "../e2e/support/apiPix.ts"
import { untilFrozenBy } from "../e2e/support/sweeps.ts"
import { webhookSecret } from "../support/pspSettings.ts"
import { blocksOf, runBlocks, type ShellRun } from "./section.ts"

let stage: ApiPixStage
let run: ShellRun
beforeAll(async () => {
  stage = await openApiPixStage()
  await untilFrozenBy(stage, null)
  run = await runBlocks(blocksOf("docs/partner.md", "trying-a-banks-sandbox"), {
    ...apiPixSettings(stage.psp),
    ...{ CORRENTE: stage.service.url, METRICS_TOKEN: "" },
    ...{ DATA_DIR: stage.service.dataDir, PAYEE_KEY: "ana@example.com" },
    ...{ E2E: stage.psp.receive({ amount: 100 }), PUBLIC_URL: "https://corrente.example" },
  })
})
afterAll(() => stage?.close())

/** The statuses and bodies that a step printed: a body and its status on the line after it, each time. */
const answers = (step: number): ReadonlyArray<{ readonly status: string; readonly body: unknown }> => {
  const lines = (run.printed[step - 1] ?? "").split("\n").filter((line) => line !== "")
  return lines.flatMap((line, i) =>
    i % 2 === 0 ? [{ status: lines[i + 1] ?? "", body: JSON.parse(line) as unknown }] : [],
  )
}

describe("the checklist for a bank's sandbox", () => {
  it("every command of the checklist runs to its end", () => {
    expect({ exitCode: run.exitCode, stderr: run.stderr }).toEqual({ exitCode: 0, stderr: "" })
    expect(run.printed).toHaveLength(10)
    expect(run.printed[0]).toBe("token")
  })

  it("a charge is made once, shown and removed", () => {
    expect(answers(2)).toMatchObject([
      { status: "201", body: { status: "ATIVA" } },
      { status: "409" },
      { status: "200", body: { status: "ATIVA" } },
    ])
    expect(answers(3)).toMatchObject([{ status: "200", body: { status: "REMOVIDA_PELO_USUARIO_RECEBEDOR" } }])
  })

  it("what the bank does not know is not found by a body of its own", () => {
    expect(answers(4)).toMatchObject([
      { status: "404", body: { type: expect.stringMatching(/NaoEncontrado$/) } },
      { status: "404", body: { type: expect.stringMatching(/NaoEncontrada$/) } },
      { status: "404", body: { nome: expect.stringMatching(/_nao_encontrado$/) } },
    ])
  })

  it("a payout and a refund are made once, though sent twice", () => {
    for (const step of [5, 6]) {
      const statuses = answers(step).map(({ status }) => status)
      expect(statuses).toEqual(["201", "409", "200"])
    }
    expect([...stage.psp.payouts.values()]).toEqual([1])
  })

  it("the books list the Pix and the payout, a page of one item", () => {
    const paging = { paginaAtual: 0, itensPorPagina: 1 }
    const [received, sent] = answers(7)
    for (const list of [received, sent]) {
      expect(list).toMatchObject({ status: "200", body: { parametros: { paginacao: paging }, pix: [{}] } })
    }
  })

  it("the webhook is registered with its secret, and shown", () => {
    const secret = encodeURIComponent(webhookSecret)
    const webhookUrl = `https://corrente.example/v1/webhooks/api-pix?hmac=${secret}`
    expect(answers(8)).toMatchObject([{ status: "200" }, { status: "200", body: { webhookUrl } }])
  })

  it("a webhook with the right signature is received, and one with another is not", () => {
    expect(answers(9)).toMatchObject([
      { status: "200", body: { received: true } },
      { status: "401", body: { error: { code: "invalid_signature" } } },
    ])
  })

  it("the service has compared the books and could read every item", () => {
    const [frozen, shown = ""] = (run.printed[9] ?? "").split("\n")
    expect(frozen).toBe("corrente_payouts_frozen 0")
    expect(JSON.parse(shown)).toMatchObject({ accounts: [{ unreadable_count: 0 }] })
  })
})
