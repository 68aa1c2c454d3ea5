-- Bulk acts (docs/contract/bulk.md).

-- Keeps a new bulk act, sets its timer and saves the answer.
--   change: as requests.check takes it, and id, fields, timer, retentionMillis (of the answer)
-- Reply {'created'}
-- Refusals {'running'}: another of the seller is under way in this mode; and those of requests.check
function bulk.create(key, change, ids, answer)
  local now = now_millis()
  local refusal = requests.check(key, change, now)
  if refusal then
    return refusal[4] == 'own' and { 'created' } or refusal
  end
  if redis.call('EXISTS', key.running) == 1 then
    return { 'running' }
  end
  set_fields(key.bulk, change.fields)
  redis.call('HSET', key.bulk, 'ids', ids)
  redis.call('SET', key.running, change.id)
  timers.set(key.timers, change.id, { { name = change.timer, dueMillis = now } })
  requests.save(key, change, 202, 'body', answer)
  redis.call('PEXPIRE', key.idempotency, integer(change.retentionMillis))
  return { 'created' }
end

-- Records how far a bulk act is. The last row ends it: its timer goes, and the seller may ask for another.
--   change: id, from (how many rows were done before), done, failed (list of {index, code}), timer, leaseMillis, keptMillis
-- Reply {'advanced'} {'finished'}
-- Refusals {'stale'}: another number of rows was done before, or there is none
function bulk.advance(key, change)
  local record = redis.call('HMGET', key.bulk, 'done', 'total')
  if not record[1] or tonumber(record[1]) ~= change.from then
    return { 'stale' }
  end
  for _, row in ipairs(change.failed) do
    redis.call('HSET', key.bulk, 'failed:' .. row.index, row.code)
  end
  redis.call('HSET', key.bulk, 'done', change.done)
  if change.done < tonumber(record[2]) then
    timers.set(key.timers, change.id, { { name = change.timer, dueMillis = now_millis() + change.leaseMillis } })
    return { 'advanced' }
  end
  timers.change(key.timers, change.id, {}, { change.timer })
  redis.call('DEL', key.running)
  redis.call('PEXPIRE', key.bulk, change.keptMillis)
  return { 'finished' }
end
