-- Has a notice processed again, now; one that was done waits until it is done again.
-- KEYS  1 notice  2 index of those unprocessed  3 timers  4 index of those done  5 bytes
-- ARGV  1 notice id  2 reprocessed at  3 wake channel  4 timer name
-- Reply {'queued'}
-- Refusals {'missing'} {'bad_signature'}
local function reprocess_notice(keys, args)
  local signature_valid = redis.call('HGET', keys[1], 'signature_valid')
  if not signature_valid then
    return { 'missing' }
  end
  if signature_valid ~= '1' then
    return { 'bad_signature' }
  end
  redis.call('HSET', keys[1], 'reprocessed_at', args[2], 'processed_at', '')
  reopen_notice(keys[2], keys[4], keys[5], args[1])
  set_timers(keys[3], args[3], args[1], { args[4], integer(now_millis()) }, 1, 1)
  return { 'queued' }
end

redis.register_function('corrente_reprocess_notice', reprocess_notice)
