import type { ComponentType, JSX } from "preact"
import { useEffect, useState } from "preact/hooks"
import type { CorrenteError } from "../../../client/src/errors.ts"
import { failureOf } from "../api/resource.ts"
import { FormError } from "./feedback.tsx"

/** A part that is loaded when it is first shown, because few who open the page need it. Until then `waiting` stands for it; by default nothing. */
export const lazily =
  <Props extends object>(
    load: () => Promise<ComponentType<Props>>,
    waiting: () => JSX.Element | null = () => null,
  ) =>
  (props: Props) => {
    const [Part, setPart] = useState<ComponentType<Props>>()
    const [error, setError] = useState<CorrenteError>()
    useEffect(() => {
      load().then(
        (loaded) => setPart(() => loaded),
        (cause) => setError(failureOf(cause)),
      )
    }, [])
    if (error !== undefined) return <FormError error={error} />
    return Part === undefined ? waiting() : <Part {...props} />
  }
