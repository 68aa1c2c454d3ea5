-- Makes the indexes of a resource agree with its hash, in one step: that of all holds its id, and of those by status only
-- those of its own.
-- KEYS_FROM.status_indexes: those of the seller, then those of the partition
-- ARGV_FROM.statuses: of each of these indexes
-- Reply {'mended', then of each index that changed '+' or '-' and its key}
-- Refusals {'lost'}: the indexes have the id as they have that of a resource, but no hash of this seller and mode
--   {'unknown'}: no index is of its status
local function set_member(index, id, is_member, mended)
  local has = redis.call('ZSCORE', index, id)
  if is_member and not has then
    redis.call('ZADD', index, 0, id)
    mended[#mended + 1] = '+' .. index
  elseif has and not is_member then
    redis.call('ZREM', index, id)
    mended[#mended + 1] = '-' .. index
  end
end

local function is_in_any(keys, id)
  for i = KEYS_FROM.status_indexes, #keys do
    if redis.call('ZSCORE', keys[i], id) then
      return true
    end
  end
  return false
end

local function repair_indexes(keys, args)
  local record = redis.call('HMGET', KEYS.resource, 'seller', 'mode', 'status')
  local is_own = record[1] == ARGV.seller_id and record[2] == ARGV.mode and record[3]
  if not is_own and redis.call('ZSCORE', KEYS.index, ARGV.id) and is_in_any(keys, ARGV.id) then
    return { 'lost' }
  end
  local is_known = not is_own
  for i = ARGV_FROM.statuses, #args do
    is_known = is_known or args[i] == record[3]
  end
  if not is_known then
    return { 'unknown' }
  end

  local mended = { 'mended' }
  set_member(KEYS.index, ARGV.id, is_own and true or false, mended)
  for i = KEYS_FROM.status_indexes, #keys do
    local status = args[ARGV_FROM.statuses + i - KEYS_FROM.status_indexes]
    set_member(keys[i], ARGV.id, is_own and status == record[3], mended)
  end
  return mended
end

redis.register_function('corrente_repair_indexes', repair_indexes)
