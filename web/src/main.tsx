import { render } from "preact"
import "./styles/tokens.css"
import "./styles/base.css"
import "./styles/shell.css"
import "./styles/components.css"
import { followFeed } from "./api/live.ts"
import { followSession } from "./api/session.ts"
import { App } from "./app/app.tsx"
import { followHistory } from "./app/router.tsx"
import { followTheme } from "./app/theme.ts"
import { followLanguage } from "./text/i18n.ts"

const root = document.getElementById("app")
if (root === null) throw new Error("The page has no element #app.")
followTheme()
followLanguage()
followHistory()
followSession()
followFeed()
render(<App />, root)
