import type { SellerProfile } from "../../../../schema/resources/seller.ts"
import { api } from "../../api/http.ts"
import { type Resource, useResource } from "../../api/resource.ts"
import { type Mode, mode } from "../../api/session.ts"
import { Link } from "../../app/router.tsx"
import { textsOf } from "../../text/i18n.ts"
import { Card } from "../../ui/page.tsx"
import { type StepFacts, type StepName, stepsOf } from "./figures.ts"

const texts = textsOf<{
  readonly title: string
  readonly done: string
  readonly todo: string
  readonly steps: Readonly<Record<StepName, readonly [title: string, hint: string, act: string]>>
  readonly liveCharge: readonly [title: string, hint: string, act: string]
}>({
  "pt-BR": {
    title: "Primeiros passos",
    done: "Feito",
    todo: "A fazer",
    steps: {
      charge: [
        "Crie uma cobrança de teste",
        "Ela tem QR code e é paga sozinha em segundos. Nenhum dinheiro se move.",
        "Criar cobrança",
      ],
      webhook: [
        "Cadastre um webhook",
        "Seu sistema fica sabendo na hora quando uma cobrança é paga.",
        "Cadastrar endpoint",
      ],
      key: ["Crie uma chave de API", "Com ela seu sistema cria cobranças sozinho.", "Criar chave"],
      live: [
        "Ative a produção",
        "Envie os dados da sua empresa. Depois de aprovados, você recebe de verdade.",
        "Abrir configurações",
      ],
    },
    liveCharge: [
      "Crie a primeira cobrança",
      "Mande o link a quem paga e veja o dinheiro cair.",
      "Criar cobrança",
    ],
  },
  en: {
    title: "First steps",
    done: "Done",
    todo: "To do",
    steps: {
      charge: [
        "Create a test charge",
        "It has a QR code and is paid by itself within seconds. No money moves.",
        "Create charge",
      ],
      webhook: ["Add a webhook", "Your system learns at once when a charge is paid.", "Add endpoint"],
      key: ["Create an API key", "With it your system creates charges by itself.", "Create key"],
      live: [
        "Go live",
        "Send your company's data. Once they are approved, you receive real money.",
        "Open settings",
      ],
    },
    liveCharge: [
      "Create the first charge",
      "Send its link to the payer and see the money arrive.",
      "Create charge",
    ],
  },
})

const pages: Readonly<Record<StepName, string>> = {
  charge: "/charges?create=1",
  webhook: "/webhooks",
  key: "/developers",
  live: "/settings",
}

type Some = { readonly data: ReadonlyArray<unknown> }

/** What the first steps depend on, live where the feed tells of it. */
export const useSteps = (of: Mode): Resource<StepFacts> =>
  useResource(
    `steps ${of}`,
    async (signal) => {
      const has = async (path: string, limit?: number) =>
        (await api.get<Some>(path, { limit }, { signal })).data.length > 0
      const [hasCharge, hasEndpoint, hasKey, seller] = await Promise.all([
        has("/v1/me/transactions", 1),
        has("/v1/me/webhook-endpoints"),
        has("/v1/me/api-keys"),
        api.get<SellerProfile>("/v1/me/seller", {}, { signal }),
      ])
      return { hasCharge, hasEndpoint, hasKey, isApproved: seller.kyc_status === "approved" }
    },
    { reloadsOn: ({ type }) => type === "transaction.created" || type.startsWith("seller.") },
  )

/** A newcomer's next steps. Nothing once all are done, or while it is not known which are. */
export const Steps = ({ of }: { readonly of: Resource<StepFacts> }) => {
  const facts = of.value.value
  const steps = facts === undefined ? [] : stepsOf(mode.value, facts)
  if (steps.length === 0) return null
  const next = steps.find(({ isDone }) => !isDone)?.name
  return (
    <Card title={texts.value.title}>
      <ol class="steps" data-testid="first-steps">
        {steps.map(({ name, isDone }) => {
          const isLiveCharge = name === "charge" && mode.value === "live"
          const [title, hint, act] = isLiveCharge ? texts.value.liveCharge : texts.value.steps[name]
          return (
            <li key={name} data-step={name} data-done={isDone}>
              <span class="step-mark" role="img" aria-label={isDone ? texts.value.done : texts.value.todo} />
              <div class="step-text">
                <strong>{title}</strong>
                {!isDone && <span class="muted">{hint}</span>}
              </div>
              {!isDone && (
                <Link to={pages[name]} class={`button ${name === next ? "primary" : "plain"}`}>
                  {act}
                </Link>
              )}
            </li>
          )
        })}
      </ol>
    </Card>
  )
}
