-- Counts one processing of a notice, records its outcome, and sets or drops its timer.
-- ARGV.processed_at: '' = still open
-- ARGV.error: '' = none
-- ARGV.retry_in_millis: '' = no retry
-- Reply {'recorded'}  {'missing'}: its retention has ended; its timer is dropped
local function record_notice(keys, args)
  local timer = ARGV.notice_id .. ':' .. ARGV.timer_name
  local due_at = ARGV.retry_in_millis ~= '' and integer(now_millis() + tonumber(ARGV.retry_in_millis))
  if redis.call('EXISTS', KEYS.notice) == 0 then
    drop_inbox_bytes(KEYS.bytes, ARGV.notice_id, redis.call('ZSCORE', KEYS.unprocessed, ARGV.notice_id) and 'open' or 'done')
    redis.call('ZREM', KEYS.unprocessed, ARGV.notice_id)
    redis.call('ZREM', KEYS.timers, timer)
    return { 'missing' }
  end
  redis.call('HINCRBY', KEYS.notice, 'attempts', 1)
  redis.call('HSET', KEYS.notice, 'processed_at', ARGV.processed_at, 'error', ARGV.error)
  if ARGV.processed_at == '' then
    reopen_notice(KEYS.unprocessed, KEYS.done, KEYS.bytes, ARGV.notice_id)
  else
    close_notice(KEYS.unprocessed, KEYS.done, KEYS.bytes, ARGV.notice_id)
  end
  if due_at then
    set_timers(KEYS.timers, ARGV.wake_channel, ARGV.notice_id, { ARGV.timer_name, due_at }, 1, 1)
  else
    redis.call('ZREM', KEYS.timers, timer)
  end
  return { 'recorded' }
end

redis.register_function('corrente_record_notice', record_notice)
