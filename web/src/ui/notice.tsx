import { signal } from "@preact/signals"

const noticeText = signal("")
let noticeTimer: ReturnType<typeof setTimeout> | undefined
const noticeMillis = 8_000

/** Says what was done, in words, at the edge of the page for a few seconds. */
export const notify = (text: string): void => {
  clearTimeout(noticeTimer)
  noticeText.value = text
  noticeTimer = setTimeout(() => {
    noticeText.value = ""
  }, noticeMillis)
}

/** Where {@link notify} shows its sentence; once on every page. */
export const Notice = () => (
  <div class="notice" data-testid="notice" role="status" data-shown={noticeText.value !== ""}>
    {noticeText.value}
  </div>
)
