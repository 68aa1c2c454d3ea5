import { useState } from "preact/hooks"
import { formLimits } from "../../../../schema/formLimits.ts"
import type { Delivery } from "../../../../schema/resources/delivery.ts"
import type { Endpoint } from "../../../../schema/resources/endpoint.ts"
import { call } from "../../api/http.ts"
import type { Page } from "../../api/routes.ts"
import { formatCount, formatMoment } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { dayMillis } from "../../text/spans.ts"
import { Button } from "../../ui/button.tsx"
import { EnableDialog } from "./maintenance.tsx"
import { PingButton } from "./probes.tsx"
import { RecoverDialog } from "./recover.tsx"
import { deliveriesOf, isResendable } from "./rules.ts"

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

interface BannerProps {
  readonly of: Endpoint
  /** The newest attempts, as far as they are known. */
  readonly newest: Page<Delivery> | undefined
  readonly onProbed: () => void
  readonly onChanged: (endpoint: Endpoint) => void
  readonly onRecovered: () => void
}

const isAuto = ({ disabled_reason }: Endpoint): boolean => disabled_reason === "auto"

/** Deliveries that wait to be recovered, with a plus where older attempts may know more. */
const countText = ({ data, next_cursor }: Page<Delivery>): string =>
  formatCount(deliveriesOf(data).filter(isResendable).length) + (next_cursor === null ? "" : "+")

/** Says that an endpoint is disabled and why, with what brings it back; nothing while it is enabled. */
export const DisabledBanner = ({ of, newest, onProbed, onChanged, onRecovered }: BannerProps) => {
  const [dialog, setDialog] = useState<"enable" | "recover">()
  const close = () => setDialog(undefined)
  if (of.enabled) return null
  const { value } = texts
  const params = { id: of.id }
  const enable = async () =>
    onChanged(await call("PATCH /v1/me/webhook-endpoints/:id", { params, body: { enabled: true } }))
  return (
    <div class={`webhook-warning ${isAuto(of) ? "bad" : ""}`} data-testid="endpoint-disabled">
      <p>{isAuto(of) ? value.auto(formatMoment(of.auto_disabled_at ?? "")) : value.manual}</p>
      <div class="webhook-acts">
        <PingButton id={of.id} onDone={onProbed} testId="banner-ping" />
        <Button data-testid="banner-enable" onClick={() => setDialog("enable")}>
          {value.enable}
        </Button>
        <Button data-testid="banner-recover" onClick={() => setDialog("recover")}>
          {value.recover(newest === undefined ? "0" : countText(newest))}
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
          since={newest?.data.at(-1)?.created_at}
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
