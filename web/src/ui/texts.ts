import { textsOf } from "../text/i18n.ts"

/** Texts of the components that all pages share. */
export const uiTexts = textsOf({
  "pt-BR": {
    cancel: "Cancelar",
    close: "Fechar",
    copied: "Copiado",
    copy: "Copiar",
    inReais: "em reais",
    loading: "Carregando",
    more: "Mostrar mais",
    moreActs: "Mais ações",
    noneYet: "Nada entre os mais recentes. Pode haver mais antigos.",
    retry: "Tentar de novo",
    request: "Código da requisição",
    nothing: "Nada por aqui",
    stale: "Não foi possível atualizar. O que você vê pode estar desatualizado.",
    optional: "opcional",
    retrying: {
      busy: "O serviço está ocupado: tentando de novo…",
      unreachable: "O serviço não responde: tentando de novo…",
    },
  },
  en: {
    cancel: "Cancel",
    close: "Close",
    copied: "Copied",
    copy: "Copy",
    inReais: "in reais",
    loading: "Loading",
    more: "Show more",
    moreActs: "More actions",
    noneYet: "Nothing among the newest. There may be older ones.",
    retry: "Try again",
    request: "Request id",
    nothing: "Nothing here yet",
    stale: "Could not refresh. What you see may be out of date.",
    optional: "optional",
    retrying: {
      busy: "The service is busy: trying again…",
      unreachable: "The service does not answer: trying again…",
    },
  },
})
