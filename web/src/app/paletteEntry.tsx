import type { ComponentType } from "preact"
import { useEffect, useLayoutEffect, useState } from "preact/hooks"
import { failureOf } from "../api/resource.ts"
import { failureText } from "../text/failures.ts"
import { textsOf } from "../text/i18n.ts"
import { Icon } from "../ui/icons.tsx"
import { useKeys } from "../ui/keys.ts"
import { notify } from "../ui/notice.tsx"
import { opened, openKeyList } from "./paletteState.ts"
import { path } from "./router.tsx"

const texts = textsOf({
  "pt-BR": { open: "Buscar ou agir" },
  en: { open: "Search or act" },
})

const close = (): void => {
  opened.value = undefined
}

const openPalette = (): void => {
  opened.value = "palette"
}

interface OverlayProps {
  readonly typed: string
  readonly onClose: () => void
}

const loadOverlay = async (which: "palette" | "keys"): Promise<ComponentType<OverlayProps>> =>
  which === "palette" ? (await import("./palette.tsx")).Palette : (await import("./keyList.tsx")).KeyList

/** Collects what is typed until the returned function is called, which answers it. */
const collectTyped = (): (() => string) => {
  let typed = ""
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key.length !== 1 || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    event.stopPropagation()
    typed += event.key
  }
  addEventListener("keydown", onKeyDown, { capture: true })
  return () => {
    removeEventListener("keydown", onKeyDown, { capture: true })
    return typed
  }
}

/** Loads what is to be opened, and keeps what is typed into the palette meanwhile. */
const Overlay = ({ which }: { readonly which: "palette" | "keys" }) => {
  const [shown, setShown] = useState<{ readonly Component: ComponentType<OverlayProps>; typed: string }>()
  // Before the next key comes, which may be sooner than the next frame.
  useLayoutEffect(() => {
    let isLeft = false
    const endTyping = collectTyped()
    const load = async () => {
      try {
        const Component = await loadOverlay(which)
        const typed = endTyping()
        if (!isLeft) setShown({ Component, typed })
      } catch (cause) {
        notify(failureText(failureOf(cause)))
        close()
      }
    }
    void load()
    return () => {
      isLeft = true
      endTyping()
    }
  }, [])
  return shown === undefined ? null : <shown.Component typed={shown.typed} onClose={close} />
}

/** The button and the keys that open the palette, and the key that opens the list of keys; both are loaded when they are asked for. */
export const PaletteEntry = () => {
  useKeys({ "/": openPalette, "Ctrl+k": openPalette, "?": openKeyList })
  useEffect(close, [path.value])
  const which = opened.value
  return (
    <>
      <button
        type="button"
        class="search"
        data-testid="search-open"
        aria-haspopup="dialog"
        aria-label={texts.value.open}
        onClick={openPalette}
      >
        <Icon name="search" /> <span>{texts.value.open}</span> <kbd>/</kbd>
      </button>
      {which !== undefined && <Overlay key={which} which={which} />}
    </>
  )
}
