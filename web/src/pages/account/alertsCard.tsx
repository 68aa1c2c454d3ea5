import { Link } from "../../app/router.tsx"
import { Card } from "../../ui/page.tsx"
import { alertTexts } from "./alertTexts.ts"

/** Leads to the alerts, which have a page of their own. */
export const AlertsCard = () => {
  const { value } = alertTexts
  return (
    <Card title={value.title}>
      <div class="form">
        <p class="muted">{value.why}</p>
        <div class="settings-buttons">
          <Link to="/settings/alerts" class="button plain" data-testid="alerts-open">
            {value.choose}
          </Link>
        </div>
      </div>
    </Card>
  )
}
