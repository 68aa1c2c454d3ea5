import type { ComponentChildren } from "preact"
import type { List } from "../api/resource.ts"
import { useRowKeys } from "./keys.ts"
import { More, NoneYet, Shown } from "./page.tsx"
import { Skeleton } from "./skeleton.tsx"
import { type Waiting, WaitingRows } from "./waitingRows.tsx"
import "../styles/table.css"

/**
 * The name of a column; numbers, whose digits stand below each other, and buttons are at the `right`. That by which the rows are sorted,
 * newest first, is `newest`. Those of the rows' checkboxes and menus have a `box` of their own.
 */
export type Column =
  | string
  | { readonly right: string }
  | { readonly newest: string }
  | { readonly name: "check" | "row-menu"; readonly box: ComponentChildren }

interface TableProps {
  readonly columns: ReadonlyArray<Column>
  readonly label: string
  /** The order of the rows in words, for phones, which show no column heads. Default: it is not said. */
  readonly order?: string | undefined
  readonly children: ComponentChildren
}

const Heading = ({ of }: { readonly of: Column }) => {
  if (typeof of === "string") return <th scope="col">{of}</th>
  if ("box" in of) return <th class={of.name}>{of.box}</th>
  if ("newest" in of)
    return (
      <th scope="col" aria-sort="descending">
        {of.newest}
      </th>
    )
  return (
    <th scope="col" class="right">
      {of.right}
    </th>
  )
}

const keyOf = (column: Column): string => {
  if (typeof column === "string") return column
  if ("newest" in column) return column.newest
  return "right" in column ? column.right : column.name
}

/** A table of {@link TableRow}s, whose columns become two lines a row on a narrow screen. `j` and `k` go through its rows. */
export const Table = ({ columns, label, order, children }: TableProps) => {
  useRowKeys()
  return (
    <table class="table" aria-label={label}>
      {order !== undefined && <caption>{order}</caption>}
      <thead>
        <tr>
          {columns.map((column) => (
            <Heading key={keyOf(column)} of={column} />
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  )
}

/** Opens what the row's link leads to, unless something else in it was pressed, or its text is being selected. */
const openRow = (event: MouseEvent & { readonly currentTarget: HTMLElement }): void => {
  const link = event.currentTarget.querySelector<HTMLAnchorElement>("a[href]")
  const isOther = event.target instanceof Element && event.target.closest("a, button, input, label") !== null
  if (link === null || isOther || getSelection()?.isCollapsed === false) return
  if (event.metaKey || event.ctrlKey) open(link.href)
  else link.click()
}

interface TableRowProps {
  readonly "data-testid"?: string
  readonly "data-id"?: string
  readonly "data-status"?: string
  readonly "data-action"?: string
  /** Whether a press anywhere in the row follows its first link, which is there for the keyboard. Default: false. */
  readonly opens?: boolean
  /** Whether an event brought it while the page was open: then it fades in. Default: false. */
  readonly isNew?: boolean
  readonly children: ComponentChildren
}

/** A row: 44 px of columns, or 64 px of two lines on a narrow screen. */
export const TableRow = ({ opens = false, isNew = false, children, ...data }: TableRowProps) => (
  <tr
    {...data}
    class={isNew ? "row arrived" : "row"}
    data-opens={opens || undefined}
    onClick={opens ? openRow : undefined}
  >
    {children}
  </tr>
)

/**
 * Where a cell stands in a row of two lines: `title` and `amount` above, `note`, `when` and `state` below. Cells of `extra` follow, each
 * in a line with its label; `buttons` are last. Those of `wide` are for wide screens: what the row opens has them too. `check` is the row's
 * checkbox, before it; `row-menu` its acts, on wide screens.
 */
export type Place =
  | "title"
  | "amount"
  | "note"
  | "when"
  | "state"
  | "extra"
  | "wide"
  | "buttons"
  | "check"
  | "row-menu"

interface CellProps {
  readonly place: Place
  /** The column's name. */
  readonly label?: string
  /** Whether its column is at the right. Default: those of `amount`, `buttons` and `row-menu`. */
  readonly isRight?: boolean
  readonly children?: ComponentChildren
}

/** One cell of a {@link TableRow}. */
export const Cell = ({
  place,
  label,
  isRight = place === "amount" || place === "buttons" || place === "row-menu",
  children,
}: CellProps) => (
  <td class={isRight ? `${place} right` : place} data-label={label}>
    {children}
  </td>
)

interface CheckBoxProps {
  readonly label: string
  readonly isChecked: boolean
  /** Some rows are chosen, but not all. Default: false. */
  readonly isPartly?: boolean
  readonly testId: string
  readonly onCheck: (isChecked: boolean) => void
}

/** Chooses a row, or all that are shown. */
export const CheckBox = ({ label, isChecked, isPartly = false, testId, onCheck }: CheckBoxProps) => (
  <label class="check-box">
    <input
      type="checkbox"
      aria-label={label}
      data-testid={testId}
      checked={isChecked}
      indeterminate={isPartly}
      onChange={(event) => onCheck(event.currentTarget.checked)}
    />
  </label>
)

interface ListTableProps<A> extends Omit<TableProps, "children"> {
  readonly of: List<A>
  /** Shown in place of a table without rows. */
  readonly empty: ComponentChildren
  /** For lists that events add to: how new rows wait for a reader who has scrolled. */
  readonly waiting?: Waiting<A>
  /** The row of an entry. */
  readonly children: (entry: A) => ComponentChildren
}

/** As many as a screen shows. */
const skeletonRows = 10

/** A list of the API as a table without a box around it, with a button that reads more of it. */
export const ListTable = <A,>({ of, label, columns, order, empty, waiting, children }: ListTableProps<A>) => (
  <section class="list" aria-label={label}>
    <Shown of={of} skeleton={<Skeleton rows={skeletonRows} />}>
      {({ data, next_cursor }) =>
        data.length === 0 ? (
          next_cursor === null ? (
            empty
          ) : (
            <NoneYet />
          )
        ) : (
          <WaitingRows rows={data} waiting={waiting}>
            {(rows) => (
              <Table label={label} columns={columns} order={order}>
                {rows.map(children)}
              </Table>
            )}
          </WaitingRows>
        )
      }
    </Shown>
    <More of={of} />
  </section>
)
