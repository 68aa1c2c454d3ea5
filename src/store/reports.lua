-- Reports by mail (docs/contract/reports.md).
--
-- How a report is mailed:
-- 1. Its timer is due, once a period has ended. The process that runs the partition's timers claims the report: a lease.
-- 2. For each recipient it keeps a link, which renews the lease, sends the mail, and notes that.
-- 3. It finishes: the report is due again later if a mail failed for now, else after the next period.
-- If the process dies, the lease ends, and another goes on with those of whom nothing is noted: one mail is sent twice at worst, and none
-- is lost. A service that was away for several periods mails the last one.
-- Whoever asks for a report now makes it due at once, and marks it as asked: it is mailed though its last period was before.

local timer_name = 'report'

local function set_timer(key, id, due)
  timers.set(key.timers, id, { { name = timer_name, dueMillis = due } })
end

local function drop_timer(key, id)
  timers.change(key.timers, id, {}, { timer_name })
end

-- Keeps a new report.
--   change: id, reportsMax, fields, dueMillis
-- Reply {'created'}: also where a call before this one did, and its reply was lost
-- Refusals {'limit'}: the seller has reportsMax reports of the mode
function reports.create(key, change)
  if redis.call('EXISTS', key.report) == 1 then
    return { 'created' }
  end
  if redis.call('ZCARD', key.index) >= change.reportsMax then
    return { 'limit' }
  end
  set_fields(key.report, change.fields)
  redis.call('ZADD', key.index, '0', change.id)
  set_timer(key, change.id, change.dueMillis)
  return { 'created' }
end

-- Deletes a report with its links.
--   change: id, sellerId, mode
-- Reply {'removed'}
-- Refusals {'missing'}: the seller has no such report in this mode
function reports.remove(key, change)
  local owner = redis.call('HMGET', key.report, 'seller', 'mode')
  if owner[1] ~= change.sellerId or owner[2] ~= change.mode then
    return { 'missing' }
  end
  redis.call('DEL', key.links)
  -- The index goes last: a commit that a crash cut leaves no report that is due and not listed.
  drop_timer(key, change.id)
  redis.call('ZREM', key.index, change.id)
  redis.call('DEL', key.report)
  return { 'removed' }
end

-- Lets a report go out now: due at once, and asked until it was mailed.
--   change: id, sellerId, mode
-- Reply {'due', when it is due (ms)}
-- Refusals {'missing'}: the seller has no such report in this mode; {'nobody'}: everyone has unsubscribed
function reports.send_now(key, change)
  local record = redis.call('HMGET', key.report, 'seller', 'mode', 'next')
  if record[1] ~= change.sellerId or record[2] ~= change.mode then
    return { 'missing' }
  end
  if record[3] == '' then
    return { 'nobody' }
  end
  local now = now_millis()
  set_fields(key.report, { next = integer(now), asked = 1 })
  set_timer(key, change.id, now)
  return { 'due', integer(now) }
end

-- Leases a report that is due, and sets its timer to the lease's end. One that is not due yet gets the timer that it needs.
--   change: id, leaseMillis
-- Reply {'claimed', when the lease ends (ms), then its fields and their values}
-- Refusals {'none'}: it is not due, it is leased, or it is gone
function reports.claim(key, change)
  local now = now_millis()
  local record = redis.call('HMGET', key.report, 'next', 'lease')
  local next_due, lease = tonumber(record[1] or ''), tonumber(record[2] or '')
  if not next_due then
    drop_timer(key, change.id)
    return { 'none' }
  end
  if next_due > now or (lease and lease > now) then
    set_timer(key, change.id, math.max(next_due, lease or 0))
    return { 'none' }
  end
  local lease_end = now + change.leaseMillis
  redis.call('HSET', key.report, 'lease', integer(lease_end))
  set_timer(key, change.id, lease_end)
  return { 'claimed', integer(lease_end), unpack(redis.call('HGETALL', key.report)) }
end

local function holds_lease(key, change)
  return tonumber(redis.call('HGET', key.report, 'lease') or '') == change.leaseEndMillis
end

-- Keeps the link of a mail that is about to go out, renews the lease, and drops links that have ended.
--   change: id, leaseEndMillis, leaseMillis, hash, text, endsMillis
-- Reply {'kept', when the lease ends (ms)}
-- Refusals {'stale'}: the lease was lost, or the report is gone
function reports.keep_link(key, change)
  if not holds_lease(key, change) then
    return { 'stale' }
  end
  local now = now_millis()
  local found = redis.call('HGETALL', key.links)
  for i = 1, #found, 2 do
    if tonumber(string.match(found[i + 1], '^%d+')) <= now then
      redis.call('HDEL', key.links, found[i])
    end
  end
  redis.call('HSET', key.links, change.hash, change.text)
  redis.call('PEXPIREAT', key.links, integer(change.endsMillis))
  -- Never the same as before: whoever had that one must not take this for its own.
  local lease_end = math.max(now + change.leaseMillis, change.leaseEndMillis + 1)
  redis.call('HSET', key.report, 'lease', integer(lease_end))
  set_timer(key, change.id, lease_end)
  return { 'kept', integer(lease_end) }
end

-- How far the mailing of a period is: who needs no mail any more, how many of them got none, and how often it was tried.
local function run_of(key, from)
  local run = redis.call('HMGET', key.report, 'run_from', 'run_done', 'run_failed', 'run_tries')
  if run[1] ~= from then
    return { run_from = from, run_done = '', run_failed = 0, run_tries = 0 }
  end
  return { run_from = from, run_done = run[2], run_failed = tonumber(run[3]), run_tries = tonumber(run[4]) }
end

-- Notes that somebody needs no mail of a period any more.
--   change: leaseEndMillis, from, recipient, isFailed
-- Reply {'noted'}
-- Refusals {'stale'}: the lease was lost, or the report is gone
function reports.note_mail(key, change)
  if not holds_lease(key, change) then
    return { 'stale' }
  end
  local run = run_of(key, change.from)
  run.run_done = run.run_done == '' and change.recipient or run.run_done .. ' ' .. change.recipient
  run.run_failed = run.run_failed + (change.isFailed and 1 or 0)
  set_fields(key.report, run)
  return { 'noted' }
end

-- Ends a lease: the period is tried again later, or is over.
--   change: id, leaseEndMillis, again {from, inMillis} or, where it is over, nextMillis and sent {from, to, failed} (nil = nothing was)
-- Reply {'noted'}
-- Refusals {'stale'}: the lease was lost, or the report is gone
function reports.finish(key, change)
  if not holds_lease(key, change) then
    return { 'stale' }
  end
  local now, again, sent = now_millis(), change.again, change.sent
  local record = redis.call('HMGET', key.report, 'next', 'asked')
  -- Empty where the last recipient has ended it meanwhile.
  local is_ended = record[1] == ''
  local due = again and now + again.inMillis or change.nextMillis
  if not again and not sent and record[2] then
    -- Asked for since the claim, which found nothing to mail.
    due = now
  end
  local fields = again and run_of(key, again.from) or {}
  if again then
    fields.run_tries = fields.run_tries + 1
  end
  if sent then
    fields.last_from, fields.last_to = sent.from, sent.to
    fields.last_at, fields.last_failed = integer(now), integer(sent.failed)
  end
  fields.next = is_ended and '' or integer(due)
  -- One command, before the lease ends: a commit that a crash cut mails nobody twice.
  set_fields(key.report, fields)
  redis.call('HDEL', key.report, 'lease')
  if not again then
    redis.call('HDEL', key.report, 'run_from', 'run_done', 'run_failed', 'run_tries')
  end
  if sent then
    redis.call('HDEL', key.report, 'asked')
  end
  if is_ended then
    drop_timer(key, change.id)
  else
    set_timer(key, change.id, due)
  end
  return { 'noted' }
end

-- Replaces who gets a report.
--   change: id, expected (the ciphertext before), isLast (nobody is left)
--   texts: recipients (ciphertext)
-- Reply {'noted'}
-- Refusals {'stale'}: they have changed since, or the report is gone
function reports.change_recipients(key, change, recipients)
  if redis.call('HGET', key.report, 'sealed') ~= change.expected then
    return { 'stale' }
  end
  redis.call('HSET', key.report, 'sealed', recipients)
  if change.isLast then
    redis.call('HSET', key.report, 'next', '')
    drop_timer(key, change.id)
  end
  return { 'noted' }
end
