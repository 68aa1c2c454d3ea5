import { useState } from "preact/hooks"
import { csvLocales } from "../../../../schema/csv.ts"
import { type StatementFormat, statementFormats, tableFormats } from "../../../../schema/exportFormats.ts"
import { formLimits } from "../../../../schema/formLimits.ts"
import { type ReportKind, type ReportPeriod, reportKinds, reportPeriods } from "../../../../schema/names.ts"
import type { Report } from "../../../../schema/resources/report.ts"
import { refusal } from "../../api/creation.ts"
import { call } from "../../api/http.ts"
import { mode, user } from "../../api/session.ts"
import { explained } from "../../text/failures.ts"
import { language } from "../../text/i18n.ts"
import { Dialog } from "../../ui/dialog.tsx"
import { formatTexts } from "../../ui/exportMenu.tsx"
import { Field, Form, Select, TextArea, textOf } from "../../ui/form.tsx"
import { reportKindTexts, reportPeriodTexts, reportTexts } from "./reportTexts.ts"

const languageNames = { "pt-BR": "Português", en: "English" } as const

/** The statement first: it is what accountants ask for. */
const kinds: ReadonlyArray<ReportKind> = ["statement", ...reportKinds.filter((kind) => kind !== "statement")]

/** The formats of a kind, as people look for them. */
const formatsOf = (kind: ReportKind): ReadonlyArray<StatementFormat> => {
  const known: ReadonlyArray<StatementFormat> = kind === "statement" ? statementFormats : tableFormats
  return (["xlsx", "csv", "ofx", "ndjson"] as const).filter((format) => known.includes(format))
}

const addressesIn = (text: string): ReadonlyArray<string> =>
  text.split(/[\s,;]+/).filter((address) => address !== "")

/** Enough to tell an address from a slip; the service says whether it is one. */
const looksLikeAddress = /^[^\s@]+@[^\s@]+\.[^\s@]+$/

/** What is wrong with the addresses of a report, in one sentence; undefined where nothing is. */
const problemOf = (emails: ReadonlyArray<string>): string | undefined => {
  const { value } = reportTexts
  if (emails.length === 0) return value.noEmails
  const wrong = emails.find((email) => !looksLikeAddress.test(email))
  if (wrong !== undefined) return value.wrongEmail(wrong)
  const folded = emails.map((email) => email.toLowerCase())
  const twice = emails.find((_, index) => folded.indexOf(folded[index] ?? "") !== index)
  if (twice !== undefined) return value.twice(twice)
  return emails.length > formLimits.reportEmailsMax ? value.tooMany(emails.length) : undefined
}

interface ReportDialogProps {
  /** What is chosen at first. */
  readonly kind: ReportKind
  readonly every: ReportPeriod
  readonly onClose: () => void
  readonly onMade: (report: Report) => void
}

/** The dialog that makes a report. */
export const ReportDialog = ({ kind: first, every: firstEvery, onClose, onMade }: ReportDialogProps) => {
  const { value } = reportTexts
  const [kind, setKind] = useState(first)
  const [every, setEvery] = useState(firstEvery)
  const ownEmail = user.value?.email ?? ""
  const isTest = mode.value === "test"
  const make = async (values: FormData) => {
    const emails = isTest ? [ownEmail] : addressesIn(textOf(values, "emails"))
    const problem = problemOf(emails)
    if (problem !== undefined) throw refusal(problem)
    const body = {
      kind,
      every,
      format: formatsOf(kind).find((format) => format === textOf(values, "format")) ?? "xlsx",
      locale: csvLocales.find((locale) => locale === textOf(values, "locale")) ?? "pt-BR",
      emails,
    }
    const words = { emails: value.badEmails, format: value.badFormat }
    onMade(await explained(words, () => call("POST /v1/me/reports", { body })))
  }
  return (
    <Dialog title={value.add} onClose={onClose}>
      <Form submit={value.make} onSubmit={make} onCancel={onClose}>
        <Select
          label={value.what}
          value={kind}
          data-testid="report-kind"
          onChange={(event) =>
            setKind(kinds.find((known) => known === event.currentTarget.value) ?? "statement")
          }
        >
          {kinds.map((known) => (
            <option key={known} value={known}>
              {reportKindTexts.value[known]}
            </option>
          ))}
        </Select>
        <Select
          label={value.every}
          value={every}
          data-testid="report-every"
          onChange={(event) =>
            setEvery(reportPeriods.find((known) => known === event.currentTarget.value) ?? firstEvery)
          }
        >
          {reportPeriods.map((known) => (
            <option key={known} value={known}>
              {reportPeriodTexts.value[known]}
            </option>
          ))}
        </Select>
        <p class="muted">{value.when[every]}</p>
        <Select label={value.format} name="format" data-testid="report-format">
          {formatsOf(kind).map((format) => (
            <option key={format} value={format}>
              {formatTexts.value[format]}
            </option>
          ))}
        </Select>
        <Select label={value.locale} name="locale" data-testid="report-locale">
          {[language.value, ...csvLocales.filter((locale) => locale !== language.value)].map((locale) => (
            <option key={locale} value={locale}>
              {languageNames[locale]}
            </option>
          ))}
        </Select>
        {isTest ? (
          <Field
            label={value.email}
            hint={value.test}
            disabled
            required
            value={ownEmail}
            data-testid="report-emails"
          />
        ) : (
          <>
            <TextArea
              label={value.emails}
              hint={value.emailsHint}
              name="emails"
              rows={3}
              required
              defaultValue={ownEmail}
              data-testid="report-emails"
            />
            <p class="muted">{value.live}</p>
          </>
        )}
      </Form>
    </Dialog>
  )
}
