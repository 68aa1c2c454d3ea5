// Counts down, copies the code, and turns the page to paid by itself. Without this script the page shows the same charge.
const part = (name) => document.getElementById(name)
const statusPill = document.querySelector("[data-testid=pay-status]")
const countdown = document.querySelector("[data-testid=pay-countdown]")
const writtenExpiry = countdown.textContent
/** How long a refused stream is left alone, in ms. */
const retryMillis = 15_000
/** How long a broken stream has before the page says so, in ms. */
const patienceMillis = 6_000

const twoDigits = (number) => String(number).padStart(2, "0")

/** `mm:ss`, with hours and days before it where there are any. */
const leftText = (millis) => {
  const seconds = Math.max(0, Math.ceil(millis / 1000))
  const [days, hours] = [Math.floor(seconds / 86_400), Math.floor(seconds / 3600) % 24]
  const clock = `${twoDigits(Math.floor(seconds / 60) % 60)}:${twoDigits(seconds % 60)}`
  if (days > 0) return `${days} ${countdown.dataset.days} ${twoDigits(hours)}:${clock}`
  return hours > 0 ? `${hours}:${clock}` : clock
}

// Counted from when the page was made, by the service's clock: the device's may be wrong.
const endsAt = Date.now() + Number(countdown.dataset.left)
const count = () => {
  countdown.textContent = leftText(endsAt - Date.now())
}
part("due-label").textContent = part("due-label").dataset.live
part("zone").hidden = true
part("waits").hidden = false
count()
const counting = setInterval(count, 1000)

const copyText = async (field) => {
  // Only there where the page came by https, or from this machine.
  if (navigator.clipboard) return navigator.clipboard.writeText(field.value)
  field.select()
  if (!document.execCommand("copy")) throw new Error("not copied")
}
const copy = part("copy")
const copyWords = copy.textContent
let copying
copy.hidden = false
copy.addEventListener("click", async () => {
  const copied = await copyText(part("payload")).then(
    () => true,
    () => false,
  )
  if (!copied) part("payload").select()
  copy.textContent = copied ? copy.dataset.done : copy.dataset.failed
  copy.classList.toggle("done", copied)
  part("spoken").textContent = copy.textContent
  clearTimeout(copying)
  copying = setTimeout(() => {
    copy.textContent = copyWords
    copy.classList.remove("done")
    part("spoken").textContent = ""
  }, 2500)
})
part("payload").addEventListener("focus", (event) => event.target.select())

let stream
let saying
const sayOnline = () => {
  clearTimeout(saying)
  saying = undefined
  part("offline").hidden = true
}
const sayOfflineSoon = () => {
  saying ??= setTimeout(() => {
    part("offline").hidden = false
  }, patienceMillis)
}

const show = (status) => {
  const later = document.querySelector(`template[data-status="${status}"]`)
  if (later === null) return
  stream.close()
  sayOnline()
  clearInterval(counting)
  clearTimeout(copying)
  countdown.textContent = writtenExpiry
  part("due-label").textContent = part("due-label").dataset.after
  part("zone").hidden = false
  part("steps").remove()
  part("action").replaceChildren(later.content.cloneNode(true))
  statusPill.textContent = later.dataset.pill
  statusPill.dataset.status = status
}

const listen = () => {
  stream = new EventSource(document.querySelector("main").dataset.events)
  stream.addEventListener("status", (event) => {
    sayOnline()
    show(JSON.parse(event.data).status)
  })
  stream.addEventListener("error", () => {
    sayOfflineSoon()
    // It reconnects by itself unless it was refused.
    if (stream.readyState === EventSource.CLOSED) setTimeout(listen, retryMillis)
  })
}
listen()
