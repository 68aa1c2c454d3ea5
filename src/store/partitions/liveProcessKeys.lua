-- The keys of ENCRYPTION_KEY that live processes have.
-- ARGV.silence_max_millis: silence up to which a process counts as live
-- Reply for each live process that has told them the ids of its keys, newest first, separated by commas
local function live_process_keys(keys, args)
  local since = now_millis() - tonumber(ARGV.silence_max_millis)
  local reply = {}
  for _, process_id in ipairs(redis.call('ZRANGEBYSCORE', KEYS.processes, integer(since), '+inf')) do
    local ids = redis.call('HGET', KEYS.process_keys, process_id)
    if ids then
      reply[#reply + 1] = ids
    end
  end
  return reply
end

redis.register_function({
  function_name = 'corrente_live_process_keys', callback = live_process_keys, flags = { 'no-writes' }
})
