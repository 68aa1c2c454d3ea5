import { useState } from "preact/hooks"
import { formLimits } from "../../../../schema/formLimits.ts"
import { viewPeriods } from "../../../../schema/names.ts"
import type { SavedViews } from "../../../../schema/resources/savedViews.ts"
import { call } from "../../api/http.ts"
import { type Resource, useRead } from "../../api/resource.ts"
import { setQuery } from "../../app/router.tsx"
import { textsOf } from "../../text/i18n.ts"
import { today } from "../../text/today.ts"
import { Icon } from "../../ui/icons.tsx"
import { lazily } from "../../ui/lazily.tsx"
import { notify } from "../../ui/notice.tsx"
import { periodName, periodOf } from "../../ui/period.ts"
import { type ChargeFilters, narrowingNames } from "./listFilters.ts"

const texts = textsOf({
  "pt-BR": {
    save: "Salvar visão",
    remove: "Excluir visão",
    saved: "Visão salva.",
    removed: "Visão excluída.",
    full: `Há ${formLimits.savedViewsMax} visões salvas, o máximo. Exclua uma para salvar outra.`,
  },
  en: {
    save: "Save view",
    remove: "Delete view",
    saved: "View saved.",
    removed: "View deleted.",
    full: `There are ${formLimits.savedViewsMax} saved views, the most there can be. Delete one to save another.`,
  },
})

type View = SavedViews["data"][number]

const ViewForm = lazily(() => import("./viewForm.tsx").then((part) => part.ViewForm))
const ViewRemoval = lazily(() => import("./viewForm.tsx").then((part) => part.ViewRemoval))

/** What a view of these filters is, but for its name. Days that end today move on with the days. */
const viewOf = ({ from, to, ...filters }: ChargeFilters): Omit<View, "name"> => {
  const period = viewPeriods.find((name) => name === periodName({ from, to }, today.value)) ?? null
  const days = period === null ? { from, to } : {}
  const query = Object.fromEntries(
    Object.entries({ ...filters, ...days }).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    ),
  )
  return { query, period }
}

const isSame = (view: View, filters: ChargeFilters): boolean => {
  const { query, period } = viewOf(filters)
  const names = ["status", ...narrowingNames]
  return view.period === period && names.every((name) => view.query[name] === query[name])
}

/** The user's saved views. */
export const useSavedViews = (): Resource<SavedViews> => useRead("GET /v1/me/views", {})

/** Whether the filters are one of the saved views. */
export const isView = ({ value }: Resource<SavedViews>, filters: ChargeFilters): boolean =>
  value.value?.data.some((view) => isSame(view, filters)) === true

const show = ({ query, period }: View): void => {
  const none = Object.fromEntries(["status", ...narrowingNames].map((name) => [name, undefined]))
  setQuery({ ...none, ...query, ...(period === null ? {} : periodOf(period, today.value)) })
}

interface ViewsProps {
  readonly filters: ChargeFilters
  readonly of: Resource<SavedViews>
}

/** Saves the filters as a view, or deletes the view that they are. */
const ViewButton = ({ filters, of }: ViewsProps) => {
  const [isOpen, setOpen] = useState(false)
  const [removed, setRemoved] = useState<View>()
  const views = of.value.value
  const present = views?.data.find((view) => isSame(view, filters))
  if (views === undefined) return null
  const put = async (data: SavedViews["data"]) => of.set(await call("PUT /v1/me/views", { body: { data } }))
  const save = async (name: string) => {
    await put([...views.data, { name, ...viewOf(filters) }])
    notify(texts.value.saved)
  }
  const remove = async (view: View) => {
    await put(views.data.filter((one) => one.name !== view.name))
    notify(texts.value.removed)
  }
  const open = () => (views.data.length < formLimits.savedViewsMax ? setOpen(true) : notify(texts.value.full))
  return (
    <>
      {present === undefined ? (
        <button type="button" class="status-tab view-act" data-testid="view-save" onClick={open}>
          <Icon name="plus" /> {texts.value.save}
        </button>
      ) : (
        <button
          type="button"
          class="status-tab view-act"
          data-testid="view-remove"
          onClick={() => setRemoved(present)}
        >
          <Icon name="close" /> {texts.value.remove}
        </button>
      )}
      {isOpen && (
        <ViewForm taken={views.data.map(({ name }) => name)} onSave={save} onClose={() => setOpen(false)} />
      )}
      {removed !== undefined && (
        <ViewRemoval
          name={removed.name}
          onRemove={() => remove(removed)}
          onClose={() => setRemoved(undefined)}
        />
      )}
    </>
  )
}

/** The views as tabs after those of the statuses, and what saves or deletes one. */
export const ViewTabs = ({ filters, of }: ViewsProps) => (
  <>
    {of.value.value?.data.map((view) => (
      <button
        key={view.name}
        type="button"
        class="status-tab view-tab"
        data-testid="view-tab"
        aria-pressed={isSame(view, filters)}
        onClick={() => show(view)}
      >
        {view.name}
      </button>
    ))}
    {narrowingNames.some((name) => filters[name] !== undefined) && <ViewButton filters={filters} of={of} />}
  </>
)
