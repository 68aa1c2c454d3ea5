-- The request log of a seller's mode (docs/contract/request-log.md).

local minute_millis = 60000

-- The newest id that any of some streams ever had, as milliseconds and sequence: entries that are gone count.
local function newest_id(...)
  local millis, sequence = 0, -1
  for _, stream in ipairs({ ... }) do
    local info = redis.call('EXISTS', stream) == 1 and redis.call('XINFO', 'STREAM', stream) or {}
    for at = 1, #info, 2 do
      if info[at] == 'last-generated-id' then
        local this_millis, this_sequence = string.match(info[at + 1], '^(%d+)%-(%d+)$')
        this_millis, this_sequence = tonumber(this_millis), tonumber(this_sequence)
        if this_millis > millis or (this_millis == millis and this_sequence > sequence) then
          millis, sequence = this_millis, this_sequence
        end
      end
    end
  end
  return millis, sequence
end

-- What a credential has of a minute: how many refused, and the ids of the answered. Kept as words: minute, refused, ids.
local function share_of(shares, credential, minute)
  local words = {}
  for word in string.gmatch(redis.call('HGET', shares, credential) or '', '%S+') do
    words[#words + 1] = word
  end
  if tonumber(words[1]) ~= minute then
    return { minute = minute, refused = 0, answered = {} }
  end
  local share = { minute = minute, refused = tonumber(words[2]), answered = {} }
  for at = 3, #words do
    share.answered[at - 2] = words[at]
  end
  return share
end

-- Makes room in a share for one more. A refused one takes the place of the newest answered one, which leaves the log.
local function make_room(share, answered, is_refused, most)
  if share.refused + #share.answered < most then
    return true
  end
  if not is_refused or #share.answered == 0 then
    return false
  end
  redis.call('XDEL', answered, table.remove(share.answered))
  return true
end

-- Adds requests to the log, whose two streams share one order of ids.
--   change: requests (oldest first: at, credential, isRefused, fields), perMinute, entriesMax (of each stream), keptMillis
-- Reply {'noted', how many were kept}
function request_log.note(key, change)
  local now = now_millis()
  local millis, sequence = newest_id(key.answered, key.refused)
  local shares, kept = {}, 0
  for _, request in ipairs(change.requests) do
    local at = math.max(millis, math.min(request.at, now))
    local minute = math.floor(at / minute_millis)
    local share = shares[request.credential]
    if not share or share.minute ~= minute then
      share = share_of(key.shares, request.credential, minute)
      shares[request.credential] = share
    end
    if make_room(share, key.answered, request.isRefused, change.perMinute) then
      sequence = at > millis and 0 or sequence + 1
      millis = at
      local id = integer(millis) .. '-' .. integer(sequence)
      redis.call('XADD', request.isRefused and key.refused or key.answered, id, unpack(request.fields))
      if request.isRefused then
        share.refused = share.refused + 1
      else
        share.answered[#share.answered + 1] = id
      end
      kept = kept + 1
    end
  end
  for credential, share in pairs(shares) do
    local words = { integer(share.minute), integer(share.refused), unpack(share.answered) }
    redis.call('HSET', key.shares, credential, table.concat(words, ' '))
  end
  redis.call('PEXPIRE', key.shares, 2 * minute_millis)
  for _, stream in ipairs({ key.answered, key.refused }) do
    redis.call('XTRIM', stream, 'MINID', '~', integer(math.max(now - change.keptMillis, 0)))
    redis.call('XTRIM', stream, 'MAXLEN', change.entriesMax)
    redis.call('PEXPIRE', stream, change.keptMillis)
  end
  return { 'noted', kept }
end
