-- Stores a code that is about to be mailed, in place of the one before (docs/contract/accounts.md#mailed-code).
-- ARGV.code: its HMAC
-- ARGV.binding: of the user's password; a new password begins a new count of mails
-- ARGV.pause, ARGV.window, ARGV.life: ms
-- Reply {'issued'}
-- Refusals {'recent'}: one was mailed less than ARGV.pause ago, and stands
--   {'too_many', ms until the window ends}: ARGV.codes_max were mailed in it
local function issue_mail_code(keys, args)
  local now = tonumber(ARGV.now)
  local known = redis.call('HMGET', KEYS.mail_code, 'binding', 'code', 'sent_at', 'sent', 'window_ends')
  local sent, window_ends = tonumber(known[4] or ''), tonumber(known[5] or '')
  if known[1] ~= ARGV.binding or not window_ends or window_ends <= now then
    sent, window_ends = 0, now + tonumber(ARGV.window)
    redis.call('DEL', KEYS.mail_code)
  elseif known[2] == ARGV.code then
    -- This operation already stored it, but its reply was lost.
    return { 'issued' }
  elseif known[2] and now - tonumber(known[3]) < tonumber(ARGV.pause) then
    return { 'recent' }
  elseif sent >= tonumber(ARGV.codes_max) then
    return { 'too_many', integer(window_ends - now) }
  end
  redis.call(
    'HSET', KEYS.mail_code, 'binding', ARGV.binding, 'code', ARGV.code, 'sent_at', ARGV.now,
    'expires_at', integer(now + tonumber(ARGV.life)), 'wrong', '0', 'sent', integer(sent + 1), 'window_ends', integer(window_ends)
  )
  redis.call('PEXPIREAT', KEYS.mail_code, integer(math.max(window_ends, now + tonumber(ARGV.life))))
  return { 'issued' }
end

redis.register_function('corrente_issue_mail_code', issue_mail_code)
