-- Claims of received Pix (docs/decisions/0101-pix-are-claimed-before-they-count.md).

-- Claims a Pix for a charge or an exception, unless another has it.
--   change: endToEndId, claimant, insteadOf (whose claim is taken over; absent = nobody's)
-- Reply {claimant}: who has it now
function pix_claims.claim(key, change)
  local known = redis.call('HGET', key.claims, change.endToEndId)
  if known and known ~= change.insteadOf then
    return { known }
  end
  redis.call('HSET', key.claims, change.endToEndId, change.claimant)
  return { change.claimant }
end
