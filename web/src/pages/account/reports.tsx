import { useState } from "preact/hooks"
import { reportKinds, reportPeriods } from "../../../../schema/names.ts"
import type { Report } from "../../../../schema/resources/report.ts"
import { useEvery } from "../../api/every.ts"
import { call } from "../../api/http.ts"
import { useRead } from "../../api/resource.ts"
import { queryChoice, setQuery } from "../../app/router.tsx"
import { formatDate } from "../../text/format.ts"
import { mayDo } from "../../text/roles.ts"
import { aheadMillis } from "../../text/today.ts"
import { Button } from "../../ui/button.tsx"
import { Dialog } from "../../ui/dialog.tsx"
import { formatTexts } from "../../ui/exportMenu.tsx"
import { Empty } from "../../ui/feedback.tsx"
import { Form } from "../../ui/form.tsx"
import { notify } from "../../ui/notice.tsx"
import { Card, isReady, Page, Shown } from "../../ui/page.tsx"
import { Cell, Table, TableRow } from "../../ui/table.tsx"
import { Foreign, TrueWhen } from "../../ui/values.tsx"
import "../../styles/account.css"
import { ReportDialog } from "./reportForm.tsx"
import { reportKindTexts, reportPeriodTexts, reportTexts } from "./reportTexts.ts"

/** A day of a report, whichever the browser's time zone is. */
const dayText = (day: string): string => formatDate(`${day}T12:00:00-03:00`)

const LastSent = ({ last }: Pick<Report, "last">) => {
  const { value } = reportTexts
  if (last === null) return <span class="muted">{value.never}</span>
  return (
    <div>
      <TrueWhen at={last.sent_at} />
      <small class="muted report-days">{value.days(dayText(last.from), dayText(last.to))}</small>
      {last.failed > 0 && (
        <small class="report-failed" data-testid="report-failed">
          {value.failed(last.failed)}
        </small>
      )}
    </div>
  )
}

const nameOf = ({ kind, format }: Report): string =>
  `${reportKindTexts.value[kind]}, ${formatTexts.value[format]}`

interface RowsProps {
  readonly of: ReadonlyArray<Report>
  /** Whether a report that somebody asked for is being mailed. */
  readonly isGoingOut: (report: Report) => boolean
  readonly onSend: (report: Report) => void
  readonly onRemove: (report: Report) => void
}

const Rows = ({ of, isGoingOut, onSend, onRemove }: RowsProps) => {
  const { value } = reportTexts
  return (
    <Table
      label={value.title}
      columns={[value.report, value.every, value.to, value.last, value.next, { right: value.acts }]}
    >
      {of.map((report) => (
        <TableRow key={report.id} data-testid="report-row" data-id={report.id}>
          <Cell place="title" label={value.report}>
            {nameOf(report)}
          </Cell>
          <Cell place="note" label={value.every}>
            {reportPeriodTexts.value[report.every]}
          </Cell>
          <Cell place="extra" label={value.to}>
            <div>
              {report.emails.length === 0 && <span class="muted">{value.nobody}</span>}
              {report.emails.map((email) => (
                <div key={email}>
                  <Foreign>{email}</Foreign>
                </div>
              ))}
            </div>
          </Cell>
          <Cell place="extra" label={value.last}>
            <LastSent last={report.last} />
          </Cell>
          <Cell place="when" label={value.next}>
            {isGoingOut(report) ? (
              <span class="muted" data-testid="report-going-out">
                {value.goingOut}
              </span>
            ) : (
              <TrueWhen at={report.next_at} />
            )}
          </Cell>
          <Cell place="buttons">
            <span class="report-acts">
              {report.emails.length > 0 && (
                <Button
                  kind="quiet"
                  needs="reporting"
                  data-testid="report-send"
                  aria-label={`${value.send}: ${nameOf(report)}`}
                  onClick={() => onSend(report)}
                >
                  {value.send}
                </Button>
              )}
              <Button
                kind="quiet"
                needs="reporting"
                data-testid="report-remove"
                aria-label={`${value.remove}: ${nameOf(report)}`}
                onClick={() => onRemove(report)}
              >
                {value.remove}
              </Button>
            </span>
          </Cell>
        </TableRow>
      ))}
    </Table>
  )
}

interface SendDialogProps {
  readonly of: Report
  readonly onClose: () => void
  readonly onSent: (report: Report) => void
}

const SendDialog = ({ of, onClose, onSent }: SendDialogProps) => {
  const { value } = reportTexts
  const send = async () => {
    const sent = await call("POST /v1/me/reports/:id/send", { params: { id: of.id } })
    notify(value.sent)
    onSent(sent)
  }
  return (
    <Dialog title={value.sendTitle} onClose={onClose}>
      <Form submit={value.send} onCancel={onClose} onSubmit={send}>
        <p>
          <strong>{nameOf(of)}</strong>
        </p>
        <p>{value.sendText[of.every]}</p>
        <ul class="report-emails">
          {of.emails.map((email) => (
            <li key={email}>
              <Foreign>{email}</Foreign>
            </li>
          ))}
        </ul>
        <p class="muted">{value.sendAlso}</p>
      </Form>
    </Dialog>
  )
}

interface RemoveDialogProps {
  readonly of: Report
  readonly onClose: () => void
  readonly onRemoved: () => void
}

const RemoveDialog = ({ of, onClose, onRemoved }: RemoveDialogProps) => {
  const { value } = reportTexts
  const remove = async () => {
    await call("DELETE /v1/me/reports/:id", { params: { id: of.id } })
    notify(value.removed)
    onRemoved()
  }
  return (
    <Dialog title={value.removeTitle} onClose={onClose}>
      <Form danger submit={value.remove} onCancel={onClose} onSubmit={remove}>
        <p>
          <strong>{reportKindTexts.value[of.kind]}</strong> {reportPeriodTexts.value[of.every].toLowerCase()}
        </p>
        <p>{value.removeText}</p>
      </Form>
    </Dialog>
  )
}

/** How often a report that is being mailed is looked at, until it was. */
const goingOutMillis = 2_000

/** Reports by mail of a mode: who gets what and when, and what makes, sends and deletes them. */
export default () => {
  const { value } = reportTexts
  const reports = useRead("GET /v1/me/reports", {})
  const [removed, setRemoved] = useState<Report>()
  const [chosen, setChosen] = useState<Report>()
  const [asked, setAsked] = useState<Report>()
  // Once it was mailed, or could not be, it is due at another time.
  const isGoingOut = ({ id, next_at }: Report) => asked?.id === id && asked.next_at === next_at
  useEvery(goingOutMillis, () => {
    if (reports.value.peek()?.data.some(isGoingOut)) void reports.refresh()
  })
  const made = queryChoice("create", reportKinds)
  const every = queryChoice("every", reportPeriods) ?? "month"
  const close = () => {
    setQuery({ create: undefined, every: undefined })
    setRemoved(undefined)
    setChosen(undefined)
  }
  const again = () => {
    close()
    void reports.reload()
  }
  return (
    <Page
      title={value.title}
      lead={value.lead}
      back={{ to: "/settings", name: value.settings }}
      ready={isReady(reports)}
      actions={
        <Button
          kind="primary"
          needs="reporting"
          data-testid="report-create"
          onClick={() => setQuery({ create: "statement" })}
        >
          {value.add}
        </Button>
      }
    >
      {aheadMillis.value > 0 && (
        <p class="muted" data-testid="real-clock">
          {value.realClock}
        </p>
      )}
      <Card>
        <Shown of={reports}>
          {({ data }) =>
            data.length === 0 ? (
              <Empty title={value.none}>{value.noneHint}</Empty>
            ) : (
              <Rows of={data} isGoingOut={isGoingOut} onSend={setChosen} onRemove={setRemoved} />
            )
          }
        </Shown>
      </Card>
      {made !== undefined && mayDo("reporting") && (
        <ReportDialog
          kind={made}
          every={every}
          onClose={close}
          onMade={() => {
            notify(value.added)
            again()
          }}
        />
      )}
      {chosen !== undefined && (
        <SendDialog
          of={chosen}
          onClose={close}
          onSent={(report) => {
            setAsked(report)
            again()
          }}
        />
      )}
      {removed !== undefined && <RemoveDialog of={removed} onClose={close} onRemoved={again} />}
    </Page>
  )
}
