import { textsOf } from "../text/i18n.ts"

/** Texts of the components that all pages share. */
export const uiTexts = textsOf({
  "pt-BR": {
    cancel: "Cancelar",
    close: "Fechar",
    copied: "Copiado",
    copy: "Copiar",
    loading: "Carregando…",
    more: "Mostrar mais",
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
    loading: "Loading…",
    more: "Show more",
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
