import { CorrenteError } from "../../../client/src/errors.ts"
import { explain } from "./failures.ts"
import { language } from "./i18n.ts"

/**
 * Carries out an act of a form. Where the service refuses one of its fields (`validation_failed`), the failure has this page's words
 * for the field instead of the service's, which are English; in English pages the service's say more, and stay.
 */
export const explained = async <A>(
  words: Readonly<Record<string, string>>,
  act: () => Promise<A>,
): Promise<A> => {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof CorrenteError) || error.code !== "validation_failed") throw error
    const own = words[(error.param ?? "").split(".")[0] ?? ""]
    throw own === undefined || language.value === "en" ? error : explain(error, own)
  }
}
