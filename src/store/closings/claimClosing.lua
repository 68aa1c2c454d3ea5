-- Takes or renews the lease on the closing of days (docs/decisions/0071-days-are-closed-once.md). Each holder gets a higher fence
-- than the one before it, also one that lost it for a while.
-- Reply {fence, now in ms}: the clock is the one that dates ledger entries; {'0'} while another process holds it
local function claim_closing(keys, args)
  local record = redis.call('HMGET', KEYS.lease, 'holder', 'fence', 'until')
  local now = now_millis()
  local is_over = not record[3] or tonumber(record[3]) <= now
  if not is_over and record[1] ~= ARGV.holder then
    return { '0' }
  end
  local fence = tonumber(record[2] or '0')
  if is_over then
    fence = fence + 1
  end
  redis.call(
    'HSET', KEYS.lease, 'holder', ARGV.holder, 'fence', integer(fence),
    'until', integer(now + tonumber(ARGV.lease_millis))
  )
  return { integer(fence), integer(now) }
end

redis.register_function('corrente_claim_closing', claim_closing)
