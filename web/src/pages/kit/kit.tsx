import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { CorrenteError } from "../../../../client/src/errors.ts"
import { Button } from "../../ui/button.tsx"
import { Chip, Chips } from "../../ui/chips.tsx"
import { Dialog } from "../../ui/dialog.tsx"
import { Empty, FormError, ReadError } from "../../ui/feedback.tsx"
import { AmountField, Checkbox, Field, Form, Select, TextArea } from "../../ui/form.tsx"
import { Icon, iconNames } from "../../ui/icons.tsx"
import { Mark, Wordmark } from "../../ui/mark.tsx"
import { Menu } from "../../ui/menu.tsx"
import { notify } from "../../ui/notice.tsx"
import { Card, Facts, Page } from "../../ui/page.tsx"
import { Plot } from "../../ui/plot.tsx"
import { Skeleton } from "../../ui/skeleton.tsx"
import { Cell, Table, TableRow } from "../../ui/table.tsx"
import { Tabs } from "../../ui/tabs.tsx"
import { Code, CopiedCode, Copy, Foreign, Moment, Money, Status, When } from "../../ui/values.tsx"
import "../../styles/kit.css"

const hourMillis = 3_600_000
const at = (hoursAgo: number) => new Date(Date.now() - hoursAgo * hourMillis).toISOString()
const error = new CorrenteError({ code: "insufficient_balance", message: "The balance is not enough." })

const sizes = [12, 13, 14, 16, 20, 32] as const
const colours = ["ink", "ink-muted", "line-strong", "accent", "good", "bad", "waiting", "test"] as const
const statuses = ["paid", "pending", "failed", "refunded"] as const

const Tokens = () => (
  <Card title="Tokens">
    {sizes.map((size) => (
      <p key={size} style={{ fontSize: `var(--text-${size})` }}>
        {size} px: Recebido hoje
      </p>
    ))}
    <ul class="kit-line">
      {colours.map((name) => (
        <li key={name} class="kit-colour">
          <span style={{ background: `var(--${name})` }} />
          <small>{name}</small>
        </li>
      ))}
    </ul>
  </Card>
)

const Icons = () => (
  <Card title="Mark and icons">
    <p class="kit-line">
      <Mark size={48} /> <Wordmark />
    </p>
    <ul class="kit-line">
      {iconNames.map((name) => (
        <li key={name} class="kit-icon">
          <Icon name={name} />
          <small>{name}</small>
        </li>
      ))}
    </ul>
  </Card>
)

const Buttons = () => {
  const [isOn, setOn] = useState(true)
  return (
    <Card title="Buttons and chips">
      <p class="kit-line">
        <Button kind="primary">Primary</Button>
        <Button>Plain</Button>
        <Button kind="danger">Danger</Button>
        <Button kind="quiet">Quiet</Button>
        <Button kind="primary" disabled>
          Disabled
        </Button>
        <Button>
          <Icon name="plus" /> With icon
        </Button>
        <Copy text="copied" />
        <Menu entries={[{ name: "Copy link", icon: <Icon name="link" />, onClick: () => undefined }]} />
      </p>
      <Chips label="A choice">
        <Chip isPressed={isOn} onClick={() => setOn(!isOn)}>
          Pressed
        </Chip>
        <Chip isPressed={!isOn} onClick={() => setOn(!isOn)}>
          Not pressed
        </Chip>
      </Chips>
    </Card>
  )
}

const Rows = () => (
  <section class="list">
    <Table label="Charges" columns={["Title", "Note", "State", "When", { right: "Amount" }]}>
      {statuses.map((status, index) => (
        <TableRow key={status}>
          <Cell place="title" label="Title">
            <Foreign>Fátima Al-Rashid</Foreign>
          </Cell>
          <Cell place="note" label="Note">
            Café especial 250 g
          </Cell>
          <Cell place="state" label="State">
            <Status status={status} />
          </Cell>
          <Cell place="when" label="When">
            <When at={at(index ** 5 * 8)} />
          </Cell>
          <Cell place="amount" label="Amount">
            <Money amount={12_990 * 10 ** index} isSigned={index === 0} />
          </Cell>
        </TableRow>
      ))}
    </Table>
  </section>
)

const Details = () => (
  <Card title="Card with facts" actions={<Button>Act</Button>}>
    <Facts
      of={[
        ["Name", <Foreign key="name">Fátima Al-Rashid</Foreign>],
        ["Amount", <Money key="amount" amount={104_700} />],
        ["Paid", <Moment key="paid" at={at(30)} />],
        ["Status", <Status key="status" status="chargeback" />],
        ["Id", <Code key="id">txn_01M8GKDGEZ0CPC4S8KHRQRYT8A</Code>],
        ["Copied id", <CopiedCode key="copied">txn_01M8GKDGEZ0CPC4S8KHRQRYT8A</CopiedCode>],
      ]}
    />
  </Card>
)

const Fields = () => (
  <Card title="Form">
    <Form submit="Submit" onCancel={() => undefined} onSubmit={() => Promise.reject(error)}>
      <Field label="Field" name="field" hint="What it is for." />
      <AmountField label="Amount" name="amount" defaultValue="1.047,00" />
      <AmountField label="The amount that it is about" name="big" isBig />
      <Field label="Disabled" name="disabled" defaultValue="as it is" disabled />
      <TextArea label="Several lines" name="lines" rows={2} />
      <Select label="Choice" name="choice">
        <option>One</option>
        <option>Another</option>
      </Select>
      <Checkbox label="Checkbox" name="checkbox" defaultChecked />
      <FormError error={error} />
    </Form>
  </Card>
)

const Feedback = ({ onOpen }: { readonly onOpen: () => void }) => (
  <Card title="Feedback">
    <div class="form">
      <p class="kit-line">
        <Button onClick={onOpen}>Open a dialog</Button>
        <Button onClick={() => notify("What was done, in words.")}>Notify</Button>
      </p>
      <ReadError error={error} onRetry={() => undefined} />
      <Empty title="Nothing yet">What would stand here, and how to get the first.</Empty>
    </div>
  </Card>
)

const Skeletons = () => (
  <Card title="Skeletons">
    <div class="form">
      <Skeleton />
      <Skeleton rows={3} />
      <Skeleton height={120} />
    </div>
  </Card>
)

const Parts = () => {
  const [chosen, choose] = useState<"one" | "other">("one")
  return (
    <Card title="Tabs">
      <Tabs
        label="Parts"
        tabs={[
          ["one", "One part"],
          ["other", "Another part"],
        ]}
        chosen={chosen}
        onChoose={choose}
      >
        <p>What the chosen tab shows.</p>
      </Tabs>
    </Card>
  )
}
const points = Array.from({ length: 24 }, (_, hour) => ({ at: at(24 - hour), value: (hour * 7) % 12 }))
const shifted = points.map(({ at }, hour) => ({ at, value: (hour * 5) % 11 }))
const untilNoon = points.map(({ at, value }, hour) => ({ at, value: hour < 12 ? value : null }))

const Drawn = () => (
  <Card title="Plot">
    <Plot
      label="By hour"
      bucket="hour"
      valueText={String}
      series={[{ name: "Paid", colour: "accent", points, summary: "132" }]}
    />
    <Plot
      label="This period and the one before"
      bucket="hour"
      valueText={String}
      series={[
        { name: "Last Friday", colour: "line-strong", shape: "dashed", points: shifted, summary: "140" },
        { name: "Today", colour: "accent", shape: "line", points: untilNoon, summary: "64" },
      ]}
    />
  </Card>
)

const Theme = ({
  name,
  children,
}: {
  readonly name: "light" | "dark"
  readonly children: ComponentChildren
}) => (
  <section class="kit-theme" data-theme={name} aria-label={name}>
    {children}
  </section>
)

/** Every part of the kit in every state, in both themes: what pages are built from (docs/dashboard.md#the-kit). */
export default () => {
  const [isOpen, setOpen] = useState(false)
  return (
    <Page title="The kit" ready>
      <div class="kit">
        {(["light", "dark"] as const).map((name) => (
          <Theme key={name} name={name}>
            <Tokens />
            <Icons />
            <Buttons />
            <Rows />
            <Details />
            <Parts />
            <Fields />
            <Feedback onOpen={() => setOpen(true)} />
            <Skeletons />
            <Drawn />
          </Theme>
        ))}
      </div>
      {isOpen && (
        <Dialog title="A dialog" onClose={() => setOpen(false)}>
          <Form submit="Do it" onCancel={() => setOpen(false)} onSubmit={() => Promise.reject(error)}>
            <Field label="Field" name="field" autofocus />
          </Form>
        </Dialog>
      )}
    </Page>
  )
}
