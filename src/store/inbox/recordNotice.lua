-- Counts one processing of a notice and writes how it ended; its timer is set anew, or dropped.
-- KEYS  1 notice  2 index of those unprocessed  3 timers  4 index of those done  5 bytes
-- ARGV  1 notice id  2 processed at ('' = not yet)  3 error ('' = none)  4 ms until it is tried again ('' = not again)
--       5 wake channel  6 timer name
-- Reply {'recorded'}  {'missing'}: its retention is over, and its timer with it
local function record_notice(keys, args)
  local timer = args[1] .. ':' .. args[6]
  local due_at = args[4] ~= '' and integer(now_millis() + tonumber(args[4]))
  if redis.call('EXISTS', keys[1]) == 0 then
    drop_inbox_bytes(keys[5], args[1], redis.call('ZSCORE', keys[2], args[1]) and 'open' or 'done')
    redis.call('ZREM', keys[2], args[1])
    redis.call('ZREM', keys[3], timer)
    return { 'missing' }
  end
  redis.call('HINCRBY', keys[1], 'attempts', 1)
  redis.call('HSET', keys[1], 'processed_at', args[2], 'error', args[3])
  if args[2] == '' then
    reopen_notice(keys[2], keys[4], keys[5], args[1])
  else
    close_notice(keys[2], keys[4], keys[5], args[1])
  end
  if due_at then
    set_timers(keys[3], args[5], args[1], { args[6], due_at }, 1, 1)
  else
    redis.call('ZREM', keys[3], timer)
  end
  return { 'recorded' }
end

redis.register_function('corrente_record_notice', record_notice)
