import { useEffect, useRef, useState } from "preact/hooks"
import { formLimits } from "../../../../schema/formLimits.ts"
import type { Delivery } from "../../../../schema/resources/delivery.ts"
import type { Endpoint } from "../../../../schema/resources/endpoint.ts"
import { call } from "../../api/http.ts"
import { useResource } from "../../api/resource.ts"
import type { Page } from "../../api/routes.ts"
import { formatCount, formatMoment } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { dayMillis } from "../../text/spans.ts"
import { Button } from "../../ui/button.tsx"
import { lazily } from "../../ui/lazily.tsx"
import { enableEndpoint } from "./destinations.ts"
import { PingButton } from "./probes.tsx"
import { failedOf } from "./rules.ts"

const texts = textsOf({
  "pt-BR": {
    auto: (at: string) =>
      `Desativado por nós em ${at}: ${formLimits.deadStreakMax} entregas seguidas falharam, sem nenhum sucesso em ${formLimits.deadStreakWindowMillis / dayMillis} dias. Conserte o seu sistema e envie um ping; depois ative o endpoint.`,
    manual: "Desativado por você: eventos não são enviados.",
    enable: "Ativar",
    recover: (count: string) => (count === "0" ? "Ativar e recuperar" : `Ativar e recuperar ${count}`),
  },
  en: {
    auto: (at: string) =>
      `Disabled by us on ${at}: ${formLimits.deadStreakMax} deliveries in a row failed, without a success in ${formLimits.deadStreakWindowMillis / dayMillis} days. Mend your system and send a ping; then enable the endpoint.`,
    manual: "Disabled by you: events are not sent.",
    enable: "Enable",
    recover: (count: string) => (count === "0" ? "Enable and recover" : `Enable and recover ${count}`),
  },
})

const EnableDialog = lazily(async () => (await import("./maintenance.tsx")).EnableDialog)
const RecoverDialog = lazily(async () => (await import("./recover.tsx")).RecoverDialog)

interface BannerProps {
  readonly of: Endpoint
  /** The newest attempt: what failed is counted again after another one. */
  readonly newestId: string | undefined
  readonly onProbed: () => void
  readonly onChanged: (endpoint: Endpoint) => void
  readonly onRecovered: () => void
}

const isAuto = ({ disabled_reason }: Endpoint): boolean => disabled_reason === "auto"

/** Pages of attempts that are read by themselves to count what failed. */
const pagesMax = 10

/** The newest attempts of an endpoint, as many as are read by themselves, and whether these are all. */
const readNewest = async (id: string, signal: AbortSignal): Promise<Page<Delivery>> => {
  const query = { endpoint_id: id, limit: formLimits.pageSizeMax }
  let page: Page<Delivery> = await call("GET /v1/me/webhook-deliveries", { query, signal })
  const data = [...page.data]
  for (let pages = 1; pages < pagesMax && page.next_cursor !== null; pages++) {
    const older = { ...query, cursor: page.next_cursor }
    page = await call("GET /v1/me/webhook-deliveries", { query: older, signal })
    data.push(...page.data)
  }
  return { data, next_cursor: page.next_cursor }
}

/** Deliveries that wait to be recovered, with a plus where older attempts may know more; none of what is not read yet. */
const countText = (attempts: Page<Delivery> | undefined): string => {
  if (attempts === undefined) return "0"
  return formatCount(failedOf(attempts.data).length) + (attempts.next_cursor === null ? "" : "+")
}

const Banner = ({ of, newestId, onProbed, onChanged, onRecovered }: BannerProps) => {
  const [dialog, setDialog] = useState<"enable" | "recover">()
  const close = () => setDialog(undefined)
  const attempts = useResource(`newest attempts of ${of.id}`, (signal) => readNewest(of.id, signal))
  const countedId = useRef(newestId)
  useEffect(() => {
    if (countedId.current === newestId) return
    countedId.current = newestId
    void attempts.reload()
  }, [newestId])
  const { value } = texts
  const enable = async () => onChanged(await enableEndpoint(of.id))
  return (
    <div class={`webhook-warning ${isAuto(of) ? "bad" : ""}`} data-testid="endpoint-disabled">
      <p>{isAuto(of) ? value.auto(formatMoment(of.auto_disabled_at ?? "")) : value.manual}</p>
      <div class="webhook-acts">
        <PingButton id={of.id} onDone={onProbed} testId="banner-ping" />
        <Button needs="integrating" data-testid="banner-enable" onClick={() => setDialog("enable")}>
          {value.enable}
        </Button>
        <Button needs="integrating" data-testid="banner-recover" onClick={() => setDialog("recover")}>
          {value.recover(countText(attempts.value.value))}
        </Button>
      </div>
      {dialog === "enable" && (
        <EnableDialog
          of={of}
          onClose={close}
          onChanged={(changed) => {
            close()
            onChanged(changed)
          }}
        />
      )}
      {dialog === "recover" && (
        <RecoverDialog
          id={of.id}
          attempts={attempts.value.value}
          enable={enable}
          onClose={close}
          onRecovered={() => {
            close()
            onRecovered()
          }}
        />
      )}
    </div>
  )
}

/** Says that an endpoint is disabled and why, with what brings it back; nothing while it is enabled. */
export const DisabledBanner = (props: BannerProps) => (props.of.enabled ? null : <Banner {...props} />)
