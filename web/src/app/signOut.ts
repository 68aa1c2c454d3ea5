import { call } from "../api/http.ts"
import { failureOf } from "../api/resource.ts"
import { user } from "../api/session.ts"
import { failureText } from "../text/failures.ts"
import { notify } from "../ui/notice.tsx"
import { navigate } from "./router.tsx"

/** What a person chose for this browser and not for their account: no secret, and not to be chosen again each time. */
const keptKeys = ["corrente.theme", "corrente.language", "corrente.mode", "corrente.stepsClosed"]

/** Takes those choices; returns what puts them back, after the answer has cleared what the browser keeps. */
const keepChoices = (): (() => void) => {
  const choices = keptKeys.map((key) => [key, localStorage.getItem(key)] as const)
  return () => {
    for (const [key, value] of choices) if (value !== null) localStorage.setItem(key, value)
  }
}

/** Ends the session, and leads to the sign-in page; says why where that failed. */
export const signOut = async (): Promise<void> => {
  const putBack = keepChoices()
  try {
    await call("POST /v1/me/auth/sign-out")
    putBack()
    user.value = null
    navigate("/sign-in")
  } catch (error) {
    notify(failureText(failureOf(error)))
  }
}
