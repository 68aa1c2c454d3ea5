-- Notes that a refund is processing for long, unless it has ended meanwhile. Its next transition takes the note back.
-- ARGV.since_millis: since when it is processing
-- Reply {'noted'} {'known'}: it was noted before
-- Refusals {'ended'}: it is not processing
local function note_stuck_refund(keys, args)
  if redis.call('HGET', KEYS.refund, 'status') ~= 'processing' then
    return { 'ended' }
  end
  return { redis.call('ZADD', KEYS.stuck, 'NX', ARGV.since_millis, ARGV.refund_id) == 1 and 'noted' or 'known' }
end

redis.register_function('corrente_note_stuck_refund', note_stuck_refund)
