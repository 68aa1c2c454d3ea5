/** Something to do at a time; `name` says what (`expire`, `ask`). */
export interface Timer {
  readonly name: string
  readonly resourceId: string
  readonly dueMillis: number
}
