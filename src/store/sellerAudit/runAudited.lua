-- Calls a function of the library and, where it did what was asked, appends the act to the seller's audit log: both or neither
-- (docs/contract/audit-log.md#what-is-kept).
-- KEYS.called, ARGV.called: those of the function
-- ARGV.function_name: '' = nothing is called, the act is appended alone
-- ARGV.replies: ',reply,reply,' which of its replies say that it was done
-- ARGV.act: JSON
-- Reply that of the function, or {'appended'}
local function run_audited(keys, args)
  local reply = { 'appended' }
  if ARGV.function_name ~= '' then
    local called_keys, called_args = {}, {}
    for i = KEYS_FROM.called, #keys do
      called_keys[#called_keys + 1] = keys[i]
    end
    for i = ARGV_FROM.called, #args do
      called_args[#called_args + 1] = args[i]
    end
    reply = audited_functions[ARGV.function_name](called_keys, called_args)
    if not string.find(ARGV.replies, ',' .. reply[1] .. ',', 1, true) then
      return reply
    end
  end
  -- The call before may have done it, and its reply was lost.
  for _, entry in ipairs(redis.call('XREVRANGE', KEYS.audit, '+', '-', 'COUNT', 10)) do
    if entry[2][2] == ARGV.operation then
      return reply
    end
  end
  redis.call('XADD', KEYS.audit, 'MAXLEN', '~', ARGV.entries_max, '*', 'operation', ARGV.operation, 'act', ARGV.act)
  redis.call('XTRIM', KEYS.audit, 'MINID', '~', integer(math.max(now_millis() - tonumber(ARGV.kept_millis), 0)))
  redis.call('PEXPIRE', KEYS.audit, ARGV.kept_millis)
  return reply
end

redis.register_function('corrente_run_audited', run_audited)
