import type { ServiceHealth } from "../../../../schema/api/operations.ts"
import { freezingKinds } from "../../../../schema/names.ts"
import type { Exception } from "../../../../schema/resources/exception.ts"
import { Link } from "../../app/router.tsx"
import { textsOf } from "../../text/i18n.ts"
import { Foreign } from "../../ui/values.tsx"
import { freezeOf } from "./readiness.ts"

const texts = textsOf({
  "pt-BR": {
    title: "Saques e devoluções de produção estão parados",
    what: "Nada é enviado ao parceiro bancário. Os vendedores continuam podendo pedir: os saques ficam aprovados e as devoluções pendentes, e saem sozinhos quando a parada acabar.",
    exceptions:
      "O parceiro fez pagamentos que nossos livros não têm. Confira cada um com o parceiro e resolva as exceções abaixo.",
    books:
      "O serviço ainda não terminou de comparar os livros do parceiro, o que acontece a cada partida. Se isso durar mais que alguns minutos, veja a saúde do serviço: o parceiro pode não estar respondendo, ou um item dos livros dele não pode ser lido (ops sweep show).",
    said: "O serviço diz",
    openExceptions: "Ver exceções abertas",
    health: "Ver a saúde",
  },
  en: {
    title: "Live payouts and refunds are on hold",
    what: "Nothing is sent to the acquirer. Sellers may still request: withdrawals stay approved, refunds pending, and go out by themselves once the hold ends.",
    exceptions:
      "The acquirer made payments that our books do not have. Look each up at the acquirer and resolve the exceptions.",
    books:
      "The service has not finished comparing the acquirer's books, as it does after every start. If this lasts more than a few minutes, look at the health page: the acquirer may not answer, or an item of its books cannot be read (ops sweep show).",
    said: "The service says",
    openExceptions: "See open exceptions",
    health: "See the health page",
  },
})

/** Whether an exception stops live payouts while it is open. */
export const isFreezing = ({ kind, mode, state }: Pick<Exception, "kind" | "mode" | "state">): boolean =>
  state === "open" && mode === "live" && freezingKinds.includes(kind)

/** Says that payouts are frozen, why, and what to do; nothing while they are not. */
export const FreezeBanner = ({
  payouts,
  exceptions,
}: {
  /** Undefined while the health of the service is not read. */
  readonly payouts: ServiceHealth["payouts"] | undefined
  readonly exceptions: ReadonlyArray<Exception>
}) => {
  const freeze = freezeOf(payouts, exceptions.filter(isFreezing).length)
  if (freeze === undefined) return null
  const said = payouts?.reason ?? undefined
  return (
    <section class="freeze" data-testid="freeze" data-why={freeze} aria-label={texts.value.title}>
      <h2>{texts.value.title}</h2>
      <p>{texts.value[freeze]}</p>
      <p>{texts.value.what}</p>
      {said !== undefined && (
        <p class="muted">
          {texts.value.said}: <Foreign>{said}</Foreign>
        </p>
      )}
      <p>
        {freeze === "exceptions" ? (
          <Link to="/admin/exceptions?state=open" class="button">
            {texts.value.openExceptions}
          </Link>
        ) : (
          <Link to="/admin/health" class="button">
            {texts.value.health}
          </Link>
        )}
      </p>
    </section>
  )
}
