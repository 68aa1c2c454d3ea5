// Counts down, copies the code, and turns the page to paid, and to refunded, by itself. Without this script the page shows the same charge.
const part = (name) => document.getElementById(name)
const main = document.querySelector("main")
/** How long a refused stream is left alone, in ms. */
const retryMillis = 15_000
/** How long a broken stream has before the page says so, in ms. */
const patienceMillis = 6_000
/** How often the page of a paid charge asks whether the money went back, and for how long, in ms. */
const askMillis = 30_000
const askingMillis = 600_000

/** Gives the receipt its buttons: browsers print it, and phones share the page. */
const offerToKeep = () => {
  const [save, share] = [part("save"), part("share")]
  if (save !== null) {
    save.hidden = false
    save.addEventListener("click", () => print())
  }
  if (share === null || !navigator.share) return
  share.hidden = false
  share.addEventListener("click", () => {
    // Whoever thinks better of it has not failed.
    navigator.share({ title: share.dataset.text, url: location.href }).catch(() => {})
  })
}

/** Shows another status in place of the code or the receipt; false where the page has no words for it. */
const showStatus = (status) => {
  const later = document.querySelector(`template[data-status="${status}"]`)
  if (later === null) return false
  part("action").replaceChildren(later.content.cloneNode(true))
  const pill = document.querySelector("[data-testid=pay-status]")
  pill.textContent = later.dataset.pill
  pill.dataset.status = status
  return true
}

const twoDigits = (number) => String(number).padStart(2, "0")

/** `mm:ss`, with hours and days before it where there are any. */
const leftText = (millis, days) => {
  const seconds = Math.max(0, Math.ceil(millis / 1000))
  const [whole, hours] = [Math.floor(seconds / 86_400), Math.floor(seconds / 3600) % 24]
  const clock = `${twoDigits(Math.floor(seconds / 60) % 60)}:${twoDigits(seconds % 60)}`
  if (whole > 0) return `${whole} ${days} ${twoDigits(hours)}:${clock}`
  return hours > 0 ? `${hours}:${clock}` : clock
}

/** Counts down from when the page was made, by the service's clock: the device's may be wrong. Returns what ends that. */
const countDown = () => {
  const countdown = document.querySelector("[data-testid=pay-countdown]")
  const label = part("due-label")
  const written = countdown.textContent
  const endsAt = Date.now() + Number(countdown.dataset.left)
  const count = () => {
    countdown.textContent = leftText(endsAt - Date.now(), countdown.dataset.days)
  }
  label.textContent = label.dataset.live
  part("zone").hidden = true
  count()
  const counting = setInterval(count, 1000)
  return () => {
    clearInterval(counting)
    countdown.textContent = written
    label.textContent = label.dataset.after
    part("zone").hidden = false
  }
}

const copyText = async (field) => {
  // Only there where the page came by https, or from this machine.
  if (navigator.clipboard) return navigator.clipboard.writeText(field.value)
  field.select()
  if (!document.execCommand("copy")) throw new Error("not copied")
}

/** The button that copies the code; what it could not copy it shows. */
const offerToCopy = () => {
  const copy = part("copy")
  const words = copy.textContent
  const fold = document.querySelector(".payload-fold")
  let copying
  copy.hidden = false
  copy.addEventListener("click", async () => {
    if (!navigator.clipboard) fold.open = true
    const copied = await copyText(part("payload")).then(
      () => true,
      () => false,
    )
    if (!copied) {
      fold.open = true
      part("payload").select()
    }
    copy.textContent = copied ? copy.dataset.done : copy.dataset.failed
    copy.classList.toggle("done", copied)
    part("spoken").textContent = copy.textContent
    clearTimeout(copying)
    copying = setTimeout(() => {
      copy.textContent = words
      copy.classList.remove("done")
      part("spoken").textContent = ""
    }, 2500)
  })
  part("payload").addEventListener("focus", (event) => event.target.select())
}

/** Closes what a reader need not see at first: the code, which the button copies, and on a phone the picture. */
const fold = () => {
  const narrow = matchMedia("(max-width: 759px)")
  const picture = document.querySelector(".qr-fold")
  const foldPicture = () => {
    picture.open = !narrow.matches
  }
  const scan = part("scan")
  const whole = scan.textContent
  // Nobody can scan what is folded away.
  const sayStep = () => {
    scan.textContent = picture.open ? whole : scan.dataset.folded
  }
  picture.addEventListener("toggle", sayStep)
  foldPicture()
  sayStep()
  narrow.addEventListener("change", foldPicture)
  document.querySelector(".payload-fold").open = false
  for (const details of document.querySelectorAll(".fold")) details.dataset.folds = ""
}

/** Adds what only the service knows of a payment: when it was, its id at the banks, and the way back to the shop. */
const completePaid = async () => {
  const response = await fetch(location.href, { headers: { accept: "text/html" } })
  if (!response.ok) return
  const page = new DOMParser().parseFromString(await response.text(), "text/html")
  const [kept, summary] = [page.getElementById("kept"), page.querySelector(".summary")]
  if (kept === null || summary === null) return
  document.querySelector(".outcome").append(kept)
  document.querySelector(".summary").replaceWith(summary)
  offerToKeep()
}

/**
 * Turns the page of a paid charge to refunded. It asks only while somebody sees it: a stream would be held open for days, for what
 * seldom comes. After a while it asks only when its tab is shown again.
 */
const askWhetherItWentBack = () => {
  let askedAt = Date.now()
  const ask = () => {
    if (document.hidden) return
    askedAt = Date.now()
    // Of a charge that is not pending, the stream tells the status and ends.
    const stream = new EventSource(main.dataset.events)
    stream.addEventListener("error", () => stream.close())
    stream.addEventListener("status", (event) => {
      stream.close()
      const { status } = JSON.parse(event.data)
      if (status === "paid" || !showStatus(status)) return
      clearInterval(asking)
      document.removeEventListener("visibilitychange", askAgain)
    })
  }
  const askAgain = () => {
    if (Date.now() - askedAt >= askMillis) ask()
  }
  const asking = setInterval(ask, askMillis)
  setTimeout(() => clearInterval(asking), askingMillis)
  document.addEventListener("visibilitychange", askAgain)
}

const follow = () => {
  const endCounting = countDown()
  offerToCopy()
  fold()
  part("waits").hidden = false
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
    if (!showStatus(status)) return
    stream.close()
    sayOnline()
    endCounting()
    part("steps").remove()
    if (status !== "paid") return
    part("due").remove()
    // The page says that it is paid in any case.
    completePaid()
      .catch(() => {})
      .finally(askWhetherItWentBack)
  }
  const listen = () => {
    stream = new EventSource(main.dataset.events)
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
}

offerToKeep()
if (main.dataset.events) (part("code") === null ? askWhetherItWentBack : follow)()
