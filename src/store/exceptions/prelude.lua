-- Shared by the functions that record and change exceptions (docs/contract/exceptions.md#fields).
--
-- What a commit does to an exception is a table of
--   exception, facts, old_index, new_index, old_kind_index, new_kind_index: keys
--   arguments, first: from `first` on 'open' (records it, unless its fact is recorded) or 'change'; its
--     id, state, document, fact, kind, mode, seller ('' = none), account ('' = none), the version that it was decided on,
--     and the act that is under way ('' = none); what else the commit has may follow

-- 'missing' or 'stale' where a change finds no exception or another version, else nil. Raises an error unless all arguments are
-- there. Call it before the first write.
local function exception_refusal(effect)
  local arguments, first = effect.arguments, effect.first
  if #arguments < first + 10 then
    error('what is done to an exception lacks something')
  end
  if arguments[first] == 'open' then
    return nil
  end
  local version = redis.call('HGET', effect.exception, 'version')
  if not version then
    return 'missing'
  end
  return version ~= arguments[first + 9] and 'stale' or nil
end

-- Writes what a commit does to an exception. Returns the exception of the fact that was recorded before, or nil.
local function write_exception(effect)
  local arguments, first = effect.arguments, effect.first
  local id, state, document = arguments[first + 1], arguments[first + 2], arguments[first + 3]
  if arguments[first] == 'open' then
    local fact = arguments[first + 4]
    local known = redis.call('HGET', effect.facts, fact)
    if known then
      return known
    end
    redis.call(
      'HSET', effect.exception, 'document', document, 'fact', fact, 'kind', arguments[first + 5], 'mode', arguments[first + 6],
      'seller', arguments[first + 7], 'account', arguments[first + 8], 'state', state, 'version', 1, 'pending', ''
    )
    redis.call('HSET', effect.facts, fact, id)
  else
    redis.call(
      'HSET', effect.exception, 'document', document, 'state', state,
      'version', integer(tonumber(arguments[first + 9]) + 1), 'pending', arguments[first + 10]
    )
    redis.call('ZREM', effect.old_index, id)
    redis.call('ZREM', effect.old_kind_index, id)
  end
  redis.call('ZADD', effect.new_index, 0, id)
  redis.call('ZADD', effect.new_kind_index, 0, id)
  return nil
end

-- Notes with a changed exception the ledger entry of the money that moved with the change, if any did, so that an audit finds it.
local function note_movement(effect, entry)
  if entry and effect.arguments[effect.first] == 'change' then
    redis.call('HSET', effect.exception, 'movement', entry)
  end
end
