-- Shared by the functions that delete what ended in test mode (docs/decisions/0073-test-data-ends.md).

-- Raises an error unless the ledger, `ledger:{pNN}:<seller>:<mode>`, is one of test mode. Call it before the first write.
local function check_test(ledger)
  if string.sub(ledger, -5) ~= ':test' then
    error('only data of test mode are deleted')
  end
end

-- Whether a resource is of this seller, in test mode, and as it was decided on.
local function is_test_resource(resource, seller, version)
  local record = redis.call('HMGET', resource, 'seller', 'mode', 'version')
  return record[1] == seller and record[2] == 'test' and record[3] == version
end

-- Whether the last change, in ms, is past retention, the newest event has left the feed, and none of the timers is set: members
-- of the queue, `count` of them in `arguments` from `first` on.
local function is_past(events, newest_event, changed, retention, timers, arguments, first, count)
  if tonumber(changed) >= now_millis() - tonumber(retention) then
    return false
  end
  if redis.call('XRANGE', events, newest_event, newest_event)[1] then
    return false
  end
  for i = first, first + count - 1 do
    if redis.call('ZSCORE', timers, arguments[i]) then
      return false
    end
  end
  return true
end

-- Notes that a resource which the ledger may name is deleted: no entry after the newest one names it. Without entries there is
-- nothing to note.
local function note_deleted(deleted, ledger, id)
  local newest = redis.call('XREVRANGE', ledger, '+', '-', 'COUNT', 1)[1]
  if newest then
    redis.call('ZADD', deleted, string.match(newest[1], '^%d+'), id)
  end
end

-- Counts a commit, so that an audit which it crossed looks again.
local function count_trimming(base)
  redis.call('HINCRBY', base, 'commits', 1)
end
