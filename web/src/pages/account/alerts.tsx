import { useState } from "preact/hooks"
import { formLimits } from "../../../../schema/formLimits.ts"
import type { Notifications } from "../../../../schema/resources/notifications.ts"
import { refusal } from "../../api/creation.ts"
import { call } from "../../api/http.ts"
import { failureOf, useRead } from "../../api/resource.ts"
import { failureText } from "../../text/failures.ts"
import { Button } from "../../ui/button.tsx"
import { AmountField, Checkbox, Field, Form } from "../../ui/form.tsx"
import { notify } from "../../ui/notice.tsx"
import { Card, isReady, Page, Shown } from "../../ui/page.tsx"
import "../../styles/account.css"
import { OfRole } from "../../ui/ofRole.tsx"
import { type AlertRow, alertsOf, commonUrl, faultOf, rowsOf } from "./alertRules.ts"
import { alertTexts, kindTexts } from "./alertTexts.ts"

interface RowProps {
  readonly row: AlertRow
  readonly onChange: (change: Partial<AlertRow>) => void
}

const Row = ({ row, onChange }: RowProps) => {
  const { value } = alertTexts
  const [name, hint] = kindTexts.value[row.when]
  const host = row.otherUrl === undefined ? undefined : URL.parse(row.otherUrl)?.host
  const named = (shown: string, whole: string) => (
    <>
      <span class="visually-hidden">{whole}</span>
      <span aria-hidden="true">{shown}</span>
    </>
  )
  return (
    <li class="alert-row" data-testid={`alert-${row.when}`}>
      <div class="alert-kind">
        <strong>{name}</strong>
        <small>{hint}</small>
        {row.chat && host !== undefined && <small>{value.elsewhere(host)}</small>}
      </div>
      <Checkbox
        label={named(value.mail, value.byMail(name))}
        checked={row.mail || row.when === "new_sign_in"}
        disabled={row.when === "new_sign_in"}
        onChange={(event) => onChange({ mail: event.currentTarget.checked })}
        data-testid="alert-mail"
      />
      <Checkbox
        label={named(value.chat, value.byChat(name))}
        checked={row.chat}
        onChange={(event) => onChange({ chat: event.currentTarget.checked })}
        data-testid="alert-chat"
      />
      {row.amount !== undefined && (row.mail || row.chat) && (
        <div class="alert-amount">
          <AmountField
            label={row.when === "balance_below" ? value.below : value.from}
            value={row.amount}
            required
            onText={(amount) => onChange({ amount })}
          />
        </div>
      )}
    </li>
  )
}

/** Sends a test message, and says what became of it. */
const sendTest = async (url: string): Promise<void> => {
  try {
    const { delivered, error } = await call("POST /v1/me/notifications/test", { body: { url } })
    const { value } = alertTexts
    notify(delivered ? value.sent : value.notSent(error ?? ""))
  } catch (cause) {
    notify(failureText(failureOf(cause)))
  }
}

interface AlertFormProps {
  readonly shown: Notifications
  readonly onSaved: (saved: Notifications) => void
}

const AlertForm = ({ shown, onSaved }: AlertFormProps) => {
  const [rows, setRows] = useState(() => rowsOf(shown))
  const [url, setUrl] = useState(() => commonUrl(shown))
  const { value } = alertTexts
  const change = (changed: AlertRow, to: Partial<AlertRow>) =>
    setRows((before) => before.map((row) => (row.when === changed.when ? { ...row, ...to } : row)))
  const send = async () => {
    for (const row of rows) {
      const fault = faultOf(row, url.trim())
      if (fault === "noUrl") throw refusal(value.noUrl)
      if (fault === "noAmount") throw refusal(value.noAmount(kindTexts.value[row.when][0]))
    }
    const body = alertsOf(rows, url.trim())
    onSaved(await call("PUT /v1/me/notifications", { body, isRepeatable: true }))
    notify(value.saved)
  }
  return (
    <Form submit={value.save} onSubmit={send}>
      <Card title={value.chatTitle}>
        <div class="alert-url">
          <Field
            label={value.url}
            hint={value.urlHint}
            type="url"
            inputMode="url"
            autocomplete="off"
            placeholder="https://hooks.slack.com/services/…"
            maxLength={formLimits.destinationUrlLengthMax}
            value={url}
            onInput={(event) => setUrl(event.currentTarget.value)}
            data-testid="alert-url"
          />
          <Button disabled={url.trim() === ""} onClick={() => sendTest(url.trim())} data-testid="alert-test">
            {value.test}
          </Button>
        </div>
      </Card>
      <Card title={value.when}>
        <ul class="alert-rows" aria-label={value.when}>
          {rows.map((row) => (
            <Row key={row.when} row={row} onChange={(to) => change(row, to)} />
          ))}
        </ul>
      </Card>
    </Form>
  )
}

/** What a seller is told of by mail or in a chat. */
export default () => {
  const notifications = useRead("GET /v1/me/notifications", {})
  const { value } = alertTexts
  return (
    <Page
      title={value.title}
      lead={value.lead}
      back={{ to: "/settings", name: value.settings }}
      ready={isReady(notifications)}
    >
      <Shown of={notifications}>
        {(shown) => (
          <OfRole act="owning">
            <AlertForm shown={shown} onSaved={(saved) => notifications.set(saved)} />
          </OfRole>
        )}
      </Shown>
    </Page>
  )
}
