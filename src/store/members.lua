-- The teams of sellers (docs/contract/members.md).

-- Writes a change of a team, unless a call before this one did and its reply was lost.
--   change: version (that it was decided on), operation, written (members as JSON by id), removed (ids), ownerId (absent: who owned it
--     before)
-- Reply {'changed'}
-- Refusals {'no_seller'}  {'stale'}: the team has changed since it was read
function members.change(key, change)
  if redis.call('EXISTS', key.seller) == 0 then
    return { 'no_seller' }
  end
  local head = redis.call('HMGET', key.members, 'version', 'operation')
  if head[2] == change.operation then
    return { 'changed' }
  end
  if tonumber(head[1] or '0') ~= change.version then
    return { 'stale' }
  end
  redis.call('HSET', key.members, 'version', integer(change.version + 1), 'operation', change.operation)
  if next(change.written) then
    set_fields(key.members, change.written)
  end
  for _, id in ipairs(change.removed) do
    redis.call('HDEL', key.members, id)
  end
  if change.ownerId then
    redis.call('HSET', key.seller, 'user', change.ownerId)
  end
  return { 'changed' }
end
