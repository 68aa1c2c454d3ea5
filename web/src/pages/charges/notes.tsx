import { useState } from "preact/hooks"
import { formLimits } from "../../../../schema/formLimits.ts"
import type { Note } from "../../../../schema/resources/note.ts"
import { call } from "../../api/http.ts"
import { type Resource, useRead } from "../../api/resource.ts"
import { user } from "../../api/session.ts"
import { textsOf } from "../../text/i18n.ts"
import { denial } from "../../text/roles.ts"
import { Button } from "../../ui/button.tsx"
import { Dialog } from "../../ui/dialog.tsx"
import { Form, TextArea, textOf } from "../../ui/form.tsx"
import { Icon } from "../../ui/icons.tsx"
import { notify } from "../../ui/notice.tsx"
import { Card, Shown } from "../../ui/page.tsx"
import { Foreign, When } from "../../ui/values.tsx"

const texts = textsOf({
  "pt-BR": {
    title: "Notas",
    label: "Nova nota",
    hint: "Só a sua equipe vê.",
    add: "Adicionar nota",
    added: "Nota adicionada.",
    remove: "Excluir nota",
    removed: "Nota excluída.",
    sure: "A nota some para toda a equipe. Não dá para desfazer.",
  },
  en: {
    title: "Notes",
    label: "New note",
    hint: "Only your team sees it.",
    add: "Add note",
    added: "Note added.",
    remove: "Delete note",
    removed: "Note deleted.",
    sure: "The note is gone for the whole team. This cannot be undone.",
  },
})

interface Notes {
  readonly data: ReadonlyArray<Note>
}

interface NotesProps {
  readonly chargeId: string
  readonly of: Resource<Notes>
  readonly shown: Notes
}

const AddNote = ({ chargeId, of, shown }: NotesProps) => {
  const [count, setCount] = useState(0)
  const { value } = texts
  const add = async (values: FormData) => {
    const body = { text: textOf(values, "text") }
    const note = await call("POST /v1/me/transactions/:id/notes", { params: { id: chargeId }, body })
    of.set({ data: [note, ...shown.data] })
    setCount(count + 1)
    notify(value.added)
  }
  return (
    <Form key={count} onSubmit={add} submit={value.add} submitTestId="note-add">
      <TextArea
        label={value.label}
        hint={value.hint}
        name="text"
        rows={2}
        maxLength={formLimits.noteLengthMax}
        required
        data-testid="note-text"
      />
    </Form>
  )
}

interface RemoveProps extends NotesProps {
  readonly note: Note
}

/** Deletes a note of one's own, once that is confirmed. */
const RemoveNote = ({ chargeId, of, shown, note }: RemoveProps) => {
  const [isOpen, setOpen] = useState(false)
  const { value } = texts
  const remove = async () => {
    const params = { id: chargeId, note_id: note.id }
    await call("DELETE /v1/me/transactions/:id/notes/:note_id", { params })
    setOpen(false)
    of.set({ data: shown.data.filter(({ id }) => id !== note.id) })
    notify(value.removed)
  }
  return (
    <>
      <Button
        kind="quiet"
        aria-label={value.remove}
        needs="serving"
        data-testid="note-remove"
        onClick={() => setOpen(true)}
      >
        <Icon name="close" />
      </Button>
      {isOpen && (
        <Dialog title={value.remove} onClose={() => setOpen(false)}>
          <Form onSubmit={remove} submit={value.remove} danger onCancel={() => setOpen(false)}>
            <p>{value.sure}</p>
          </Form>
        </Dialog>
      )}
    </>
  )
}

const NoteList = (props: NotesProps) => (
  <ul class="notes">
    {props.shown.data.map((note) => (
      <li key={note.id} data-testid="note">
        <div class="note-head">
          <small class="muted">
            <Foreign>{note.author.name}</Foreign> · <When at={note.created_at} />
          </small>
          {note.author.id === user.value?.id && <RemoveNote {...props} note={note} />}
        </div>
        <p class="note-text">
          <Foreign>{note.text}</Foreign>
        </p>
      </li>
    ))}
  </ul>
)

/** What the seller's people noted about a charge, newest first, and where they add to it. */
export const ChargeNotes = ({ id }: { readonly id: string }) => {
  const notes = useRead("GET /v1/me/transactions/:id/notes", { params: { id } })
  const why = denial("serving")
  return (
    <Card title={texts.value.title}>
      <Shown of={notes}>
        {(shown) => (
          <>
            {why === undefined ? (
              <AddNote chargeId={id} of={notes} shown={shown} />
            ) : (
              <p class="muted">{why}</p>
            )}
            {shown.data.length > 0 && <NoteList chargeId={id} of={notes} shown={shown} />}
          </>
        )}
      </Shown>
    </Card>
  )
}
