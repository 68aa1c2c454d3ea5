-- Claims a received Pix for a charge or an exception, unless another has it.
-- ARGV.instead_of: whose claim is taken over ('' = nobody's)
-- Reply {claimant}: who has it now
local function claim_pix(keys, args)
  local known = redis.call('HGET', KEYS.claims, ARGV.end_to_end_id)
  if known and known ~= ARGV.instead_of then
    return { known }
  end
  redis.call('HSET', KEYS.claims, ARGV.end_to_end_id, ARGV.claimant)
  return { ARGV.claimant }
end

redis.register_function('corrente_claim_pix', claim_pix)
