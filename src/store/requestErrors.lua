-- Refused requests (docs/contract/request-errors.md).

-- Notes a mode's refused requests and forgets the oldest.
--   change: errors (each as JSON, oldest first), kept (how many), keptMillis (after the newest)
-- Reply {'noted'}
function request_errors.note(key, change)
  for _, text in ipairs(change.errors) do
    redis.call('XADD', key.errors, 'MAXLEN', change.kept, '*', 'error', text)
  end
  redis.call('PEXPIRE', key.errors, change.keptMillis)
  return { 'noted' }
end
