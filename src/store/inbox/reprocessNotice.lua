-- Queues a notice for processing again now; a processed one is open until then.
-- Reply {'queued'}
-- Refusals {'missing'} {'bad_signature'}
local function reprocess_notice(keys, args)
  local signature_valid = redis.call('HGET', KEYS.notice, 'signature_valid')
  if not signature_valid then
    return { 'missing' }
  end
  if signature_valid ~= '1' then
    return { 'bad_signature' }
  end
  redis.call('HSET', KEYS.notice, 'reprocessed_at', ARGV.reprocessed_at, 'processed_at', '')
  reopen_notice(KEYS.unprocessed, KEYS.done, KEYS.bytes, ARGV.notice_id)
  set_timers(KEYS.timers, ARGV.wake_channel, ARGV.notice_id, { ARGV.timer_name, integer(now_millis()) }, 1, 1)
  return { 'queued' }
end

redis.register_function('corrente_reprocess_notice', reprocess_notice)
