-- Notes a mode's refused requests (docs/contract/request-errors.md).
-- ARGV.kept: how many are kept; ARGV.kept_millis: for how long after the newest
-- ARGV_FROM.errors: each as JSON, oldest first
-- Reply {'noted'}
local function note_request_errors(keys, args)
  for i = ARGV_FROM.errors, #args do
    redis.call('XADD', KEYS.errors, 'MAXLEN', ARGV.kept, '*', 'error', args[i])
  end
  redis.call('PEXPIRE', KEYS.errors, ARGV.kept_millis)
  return { 'noted' }
end

redis.register_function('corrente_note_request_errors', note_request_errors)
