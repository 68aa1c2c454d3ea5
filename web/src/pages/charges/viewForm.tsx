import { formLimits } from "../../../../schema/formLimits.ts"
import { refusal } from "../../api/creation.ts"
import { textsOf } from "../../text/i18n.ts"
import { Dialog } from "../../ui/dialog.tsx"
import { Field, Form, textOf } from "../../ui/form.tsx"

const texts = textsOf({
  "pt-BR": {
    title: "Salvar visão",
    name: "Nome",
    hint: "Aparece ao lado das situações, em todos os seus navegadores.",
    save: "Salvar",
    taken: "Outra visão tem este nome.",
    removeTitle: (name: string) => `Excluir a visão “${name}”?`,
    removeWhy: "Ela some de todos os seus navegadores. As cobranças ficam como estão.",
    remove: "Excluir visão",
  },
  en: {
    title: "Save view",
    name: "Name",
    hint: "It stands beside the statuses, in all of your browsers.",
    save: "Save",
    taken: "Another view has this name.",
    removeTitle: (name: string) => `Delete the view “${name}”?`,
    removeWhy: "It disappears from all of your browsers. The charges stay as they are.",
    remove: "Delete view",
  },
})

interface ViewFormProps {
  /** Names of other views. */
  readonly taken: ReadonlyArray<string>
  readonly onSave: (name: string) => Promise<unknown>
  readonly onClose: () => void
}

/** Asks for the name of a view. */
export const ViewForm = ({ taken, onSave, onClose }: ViewFormProps) => {
  const save = async (values: FormData) => {
    const name = textOf(values, "name")
    if (taken.includes(name)) throw refusal(texts.value.taken)
    await onSave(name)
    onClose()
  }
  return (
    <Dialog title={texts.value.title} onClose={onClose}>
      <Form onSubmit={save} submit={texts.value.save} onCancel={onClose}>
        <Field
          label={texts.value.name}
          name="name"
          hint={texts.value.hint}
          maxLength={formLimits.savedViewNameLengthMax}
          required
          autofocus
          autocomplete="off"
          data-testid="view-name"
        />
      </Form>
    </Dialog>
  )
}

interface ViewRemovalProps {
  readonly name: string
  readonly onRemove: () => Promise<unknown>
  readonly onClose: () => void
}

/** Asks before a view is deleted. */
export const ViewRemoval = ({ name, onRemove, onClose }: ViewRemovalProps) => {
  const remove = async () => {
    await onRemove()
    onClose()
  }
  return (
    <Dialog title={texts.value.removeTitle(name)} onClose={onClose}>
      <Form onSubmit={remove} submit={texts.value.remove} danger onCancel={onClose}>
        <p>{texts.value.removeWhy}</p>
      </Form>
    </Dialog>
  )
}
