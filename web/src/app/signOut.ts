import { api } from "../api/http.ts"
import { failureOf } from "../api/resource.ts"
import { user } from "../api/session.ts"
import { failureText } from "../text/failures.ts"
import { notify } from "../ui/feedback.tsx"
import { navigate } from "./router.tsx"

/** Ends the session, and leads to the sign-in page; says why where that failed. */
export const signOut = async (): Promise<void> => {
  try {
    await api.post("/v1/me/auth/sign-out")
    user.value = null
    navigate("/sign-in")
  } catch (error) {
    notify(failureText(failureOf(error)))
  }
}
