import { render } from "preact"
import "./styles/tokens.css"
import "./styles/base.css"
import "./styles/shell.css"
import "./styles/components.css"
import { followFeed } from "./api/live.ts"
import { followSession } from "./api/session.ts"
import { followTerms } from "./api/terms.ts"
import { App } from "./app/app.tsx"
import { followHistory } from "./app/router.tsx"
import { followTheme } from "./app/theme.ts"
import { followLanguage } from "./text/i18n.ts"
import { followToday } from "./text/today.ts"

/** When the page was last loaded anew because a file of its build was gone, in this tab. */
const reloadKey = "corrente.reloaded"
const reloadMillisMin = 60_000

// After an update of the service its files have other names. Once, as a file that is gone for another reason stays gone.
addEventListener("vite:preloadError", () => {
  const reloadedMillis = Number(sessionStorage.getItem(reloadKey) ?? 0)
  if (Date.now() - reloadedMillis < reloadMillisMin) return
  sessionStorage.setItem(reloadKey, String(Date.now()))
  location.reload()
})

const root = document.getElementById("app")
if (root === null) throw new Error("The page has no element #app.")
followTheme()
followLanguage()
followHistory()
followSession()
followToday()
followTerms()
followFeed()
render(<App />, root)
