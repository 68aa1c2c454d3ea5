-- Commits a change of an exception that changes nothing else, with its timers, or nothing.
-- ARGV_FROM.timers_then_exception: pairs (name, due in ms) of timers to set, names of timers to drop, then as in
--   exceptions/prelude.lua, to 'change' it
-- Reply {'applied'}
-- Refusals {'missing'} {'stale'}: its version has changed
local function commit_exception(keys, args)
  local timers_from, timers = ARGV_FROM.timers_then_exception, tonumber(ARGV.timers_set_count)
  local dropped = tonumber(ARGV.timers_dropped_count)
  check_timers(args, timers_from, timers)
  local effect = {
    exception = KEYS.exception, facts = KEYS.exception_facts, old_index = KEYS.exception_old_index,
    new_index = KEYS.exception_new_index, old_kind_index = KEYS.exception_old_kind_index,
    new_kind_index = KEYS.exception_new_kind_index, arguments = args, first = timers_from + 2 * timers + dropped
  }
  local refusal = exception_refusal(effect)
  if refusal then
    return { refusal }
  end

  write_exception(effect)
  change_timers(KEYS.timers, ARGV.wake_channel, ARGV.exception_id, args, timers_from, timers, dropped)
  return { 'applied' }
end

redis.register_function('corrente_commit_exception', commit_exception)
