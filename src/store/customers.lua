-- Customers (docs/contract/customers.md). A charge names its customer by the digest of a document, in its field `customer`, and the
-- index `lookup` has '<digest> <charge>'. Only what charges add up to is stored beside them: the hash `customers` has, for each digest
-- whose charges moved money, '<paid> <refunded>' in centavos. The hash `customer-merges` has 'in:<digest>', the digest that it was
-- merged into, and 'of:<digest>', the digests that were merged into it.

-- The members of the index with a digest, as ZRANGE … BYLEX takes them.
local function range_of(digest)
  return '[' .. digest .. ' ', '(' .. digest .. '!'
end

-- Centavos paid and refunded of a digest. What nobody can read counts as nothing: audits name it, and it must not refuse a charge.
local function sums_of(sums, digest)
  local found = redis.pcall('HGET', sums, digest)
  local paid, refunded = string.match(type(found) == 'string' and found or '', '^(%d+) (%d+)$')
  return tonumber(paid or '0'), tonumber(refunded or '0')
end

local function set_sums(sums, digest, paid, refunded)
  if paid == 0 and refunded == 0 then
    redis.pcall('HDEL', sums, digest)
  else
    redis.pcall('HSET', sums, digest, integer(paid) .. ' ' .. integer(refunded))
  end
end

local function add(sums, digest, paid, refunded)
  local paid_before, refunded_before = sums_of(sums, digest)
  set_sums(sums, digest, paid_before + paid, refunded_before + refunded)
end

-- Adds what a commit changes of a charge to the sums of its customer. A commit counts last: a count that a crash cut off is missing,
-- not made twice.
--   change: sellerId, mode, charge, of which customer {paid, refunded} (centavos; nil = nothing)
--   digest: of the charge's customer; false = none
function customers.count(tag, change, digest)
  local effect = change.charge.customer
  if effect and digest then
    add(key_names.customers(tag, change.sellerId, change.mode), digest, effect.paid, effect.refunded)
  end
end

local function members_of(merges, root)
  local members = {}
  for member in string.gmatch(redis.call('HGET', merges, 'of:' .. root) or '', '%S+') do
    members[#members + 1] = member
  end
  return members
end

local function root_of(merges, digest)
  return redis.call('HGET', merges, 'in:' .. digest) or digest
end

-- Ends the part in merges of a customer that is gone: those that were merged into it stand alone again.
local function leave_merges(merges, digest)
  local root = redis.call('HGET', merges, 'in:' .. digest)
  if root then
    local left = {}
    for _, member in ipairs(members_of(merges, root)) do
      if member ~= digest then
        left[#left + 1] = member
      end
    end
    redis.call('HDEL', merges, 'in:' .. digest)
    if #left == 0 then
      redis.call('HDEL', merges, 'of:' .. root)
    else
      redis.call('HSET', merges, 'of:' .. root, table.concat(left, ' '))
    end
  end
  for _, member in ipairs(members_of(merges, digest)) do
    redis.call('HDEL', merges, 'in:' .. member)
  end
  redis.call('HDEL', merges, 'of:' .. digest)
end

-- Takes a charge from its customer, with what it added to the sums. With its last charge a customer is gone.
--   of: sellerId, mode
--   customer: paid, refunded (centavos that the charge added)
function customers.leave(tag, of, charge, id, customer)
  local digest = redis.call('HGET', charge, 'customer')
  if not digest then
    return
  end
  local lookup = key_names.lookup(tag, of.sellerId, of.mode)
  local sums = key_names.customers(tag, of.sellerId, of.mode)
  redis.call('HDEL', charge, 'customer')
  redis.call('ZREM', lookup, digest .. ' ' .. id)
  add(sums, digest, -customer.paid, -customer.refunded)
  if redis.call('ZLEXCOUNT', lookup, range_of(digest)) == 0 then
    redis.call('HDEL', sums, digest)
    leave_merges(key_names.customer_merges(tag, of.sellerId, of.mode), digest)
  end
end

-- The charge at an end of a range of a digest's members, or false.
local function edge_of(lookup, digest, from, to, ...)
  local member = redis.call('ZRANGE', lookup, from, to, 'BYLEX', ...)[1]
  return member and string.sub(member, #digest + 2) or false
end

-- Reads customers, each as the one that it was merged into.
--   change: digests
-- Reply for each digest a list: digests (those of the customer, its own first, separated by spaces), charges, paid, refunded, the ids of
--   the first and the last charge, and of the newest charge of the first digest that has one; without a charge an empty list
function customers.read(key, change)
  local replies = {}
  for i, asked in ipairs(change.digests) do
    local root = root_of(key.merges, asked)
    local digests = members_of(key.merges, root)
    table.insert(digests, 1, root)
    local count, paid, refunded = 0, 0, 0
    local first, last, shown
    for _, digest in ipairs(digests) do
      local from, to = range_of(digest)
      local charges = redis.call('ZLEXCOUNT', key.lookup, from, to)
      if charges > 0 then
        local oldest = edge_of(key.lookup, digest, from, to, 'LIMIT', 0, 1)
        local newest = edge_of(key.lookup, digest, to, from, 'REV', 'LIMIT', 0, 1)
        local paid_of, refunded_of = sums_of(key.customers, digest)
        count, paid, refunded = count + charges, paid + paid_of, refunded + refunded_of
        first = (not first or oldest < first) and oldest or first
        last = (not last or newest > last) and newest or last
        shown = shown or newest
      end
    end
    replies[i] = count == 0 and {} or {
      table.concat(digests, ' '), integer(count), integer(paid), integer(refunded), first, last, shown
    }
  end
  return replies
end

-- Merges a customer, with all that was merged into it, into another.
--   change: from, into (digests), mergedMax (how many may be merged into one)
-- Reply {'merged'}  {'same'}: they are one already
-- Refusals {'full'}
function customers.merge(key, change)
  local from, into = root_of(key.merges, change.from), root_of(key.merges, change.into)
  if from == into then
    return { 'same' }
  end
  local moved, merged = members_of(key.merges, from), members_of(key.merges, into)
  moved[#moved + 1] = from
  if #merged + #moved > change.mergedMax then
    return { 'full' }
  end
  for _, digest in ipairs(moved) do
    merged[#merged + 1] = digest
    redis.call('HSET', key.merges, 'in:' .. digest, into)
  end
  redis.call('HSET', key.merges, 'of:' .. into, table.concat(merged, ' '))
  redis.call('HDEL', key.merges, 'of:' .. from)
  return { 'merged' }
end

-- Sets the sums of a digest, unless a commit has changed them since they were read.
--   change: digest, expected ('' = none), paid, refunded
-- Reply {'set'}
-- Refusals {'stale'}
function customers.set_sums(key, change)
  if (redis.call('HGET', key.customers, change.digest) or '') ~= change.expected then
    return { 'stale' }
  end
  set_sums(key.customers, change.digest, change.paid, change.refunded)
  return { 'set' }
end

-- Lets a charge that names no customer name one, unless it was changed since it was read, with what it adds to the sums.
--   change: id, version, digest, paid, refunded
-- Reply {'named'}
-- Refusals {'stale'}: it has changed, or names one
function customers.name(key, change)
  local record = redis.call('HMGET', key.charge, 'version', 'customer')
  if record[1] ~= change.version or record[2] then
    return { 'stale' }
  end
  redis.call('HSET', key.charge, 'customer', change.digest)
  redis.call('ZADD', key.lookup, '0', change.digest .. ' ' .. change.id)
  add(key.customers, change.digest, change.paid, change.refunded)
  return { 'named' }
end
