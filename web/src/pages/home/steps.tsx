import { useState } from "preact/hooks"
import type { SellerProfile } from "../../../../schema/resources/seller.ts"
import { call } from "../../api/http.ts"
import { type Resource, useResource } from "../../api/resource.ts"
import { type Mode, mode } from "../../api/session.ts"
import { Link } from "../../app/router.tsx"
import { textsOf } from "../../text/i18n.ts"
import { mayDo } from "../../text/roles.ts"
import { Button } from "../../ui/button.tsx"
import { Icon } from "../../ui/icons.tsx"
import { type StepFacts, type StepName, stepsOf } from "./figures.ts"

const texts = textsOf<{
  readonly title: string
  readonly close: string
  readonly done: (done: number, all: number) => string
  readonly steps: Readonly<Record<StepName, string>>
  readonly liveCharge: string
}>({
  "pt-BR": {
    title: "Primeiros passos",
    close: "Fechar os primeiros passos",
    done: (done, all) => `${done} de ${all} passos:`,
    steps: {
      charge: "crie uma cobrança de teste",
      webhook: "cadastre um webhook",
      key: "crie uma chave de API",
      live: "ative a produção",
    },
    liveCharge: "crie a primeira cobrança",
  },
  en: {
    title: "First steps",
    close: "Close the first steps",
    done: (done, all) => `${done} of ${all} steps:`,
    steps: {
      charge: "create a test charge",
      webhook: "add a webhook",
      key: "create an API key",
      live: "go live",
    },
    liveCharge: "create the first charge",
  },
})

const pages: Readonly<Record<StepName, string>> = {
  charge: "/charges?create=1",
  webhook: "/webhooks",
  key: "/developers",
  live: "/settings",
}

/** The seller, whose name the page shows. */
export const useSeller = (): Resource<SellerProfile> =>
  useResource("seller", (signal) => call("GET /v1/me/seller", { signal }), {
    reloadsOn: ({ type }) => type.startsWith("seller."),
  })

/** What the first steps depend on but for the identification, read once: a charge that comes later is told by its event. */
export const useSteps = (of: Mode): Resource<Omit<StepFacts, "isApproved">> =>
  useResource(
    `steps ${of}`,
    async (signal) => {
      const [charges, endpoints, keys] = await Promise.all([
        call("GET /v1/me/transactions", { query: { limit: 1, view: "summary" }, signal }),
        call("GET /v1/me/webhook-endpoints", { signal }),
        call("GET /v1/me/api-keys", { signal }),
      ])
      return {
        hasCharge: charges.data.length > 0,
        hasEndpoint: endpoints.data.length > 0,
        hasKey: keys.data.length > 0,
      }
    },
    {
      reloadsOn: ({ type }) => type === "transaction.created",
      applies: (shown) => ({ ...shown, hasCharge: true }),
    },
  )

/** Kept when its user signs out: who has closed the steps once knows them. */
const closedKey = "corrente.stepsClosed"

interface StepsProps {
  readonly of: Resource<Omit<StepFacts, "isApproved">>
  readonly seller: Resource<SellerProfile>
}

/** A newcomer's next step in a line that can be closed. Nothing once all are done, or while it is not known which are. */
export const Steps = ({ of, seller }: StepsProps) => {
  const [isClosed, setClosed] = useState(localStorage.getItem(closedKey) !== null)
  const [facts, profile] = [of.value.value, seller.value.value]
  // The first steps are an owner's: others come to an account that is set up.
  if (isClosed || facts === undefined || profile === undefined || !mayDo("owning")) return null
  const steps = stepsOf(mode.value, { ...facts, isApproved: profile.kyc_status === "approved" })
  const next = steps.find(({ isDone }) => !isDone)?.name
  if (next === undefined) return null
  const { value } = texts
  const isLiveCharge = next === "charge" && mode.value === "live"
  return (
    <section class="steps" data-testid="first-steps" data-next={next} aria-label={value.title}>
      <p>
        {value.done(steps.filter(({ isDone }) => isDone).length, steps.length)}{" "}
        <Link to={pages[next]}>
          {isLiveCharge ? value.liveCharge : value.steps[next]} <Icon name="arrowRight" />
        </Link>
      </p>
      <Button
        kind="quiet"
        aria-label={value.close}
        onClick={() => {
          localStorage.setItem(closedKey, "yes")
          setClosed(true)
        }}
      >
        <Icon name="close" />
      </Button>
    </section>
  )
}
