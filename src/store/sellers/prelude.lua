-- By what operators find sellers (docs/decisions/0091-sellers-are-found-by-words-and-fingerprints.md). The field `found_by` of a
-- seller has its terms, separated by spaces, and the index of its partition `<term> <seller>` for each. The index is named after
-- the seller's key.
local seller_lookup = {}

function seller_lookup.index_of(seller)
  return (string.gsub(string.match(seller, '^seller(:{[^}]*})'), '^', 'seller-lookup', 1))
end

-- Makes the index agree with the record, which had the terms `before`.
function seller_lookup.set(seller, id, before)
  local index = seller_lookup.index_of(seller)
  for term in string.gmatch(before or '', '%S+') do
    redis.call('ZREM', index, term .. ' ' .. id)
  end
  for term in string.gmatch(redis.call('HGET', seller, 'found_by') or '', '%S+') do
    redis.call('ZADD', index, 0, term .. ' ' .. id)
  end
end
