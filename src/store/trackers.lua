-- Trackers (docs/contract/deliveries.md#trackers): a destination of a mode, under an id of its own.

-- Creates a mode's tracker, or replaces the URL and headers of the existing one.
--   change: id, fields, subscription (',type,type,'), createdAt (used only if the tracker is new)
-- Reply {'put', created at}
-- Refusals {'no_seller'}
function trackers.put(key, change)
  if redis.call('EXISTS', key.seller) == 0 then
    return { 'no_seller' }
  end
  local record = redis.call('HMGET', key.destination, 'enabled', 'created_at')
  local created_at = record[1] == '1' and record[2] or change.createdAt
  change.fields.created_at, change.fields.enabled = created_at, '1'
  set_fields(key.destination, change.fields)
  redis.call('HDEL', key.destination, 'deleted_by')
  redis.call('HSET', key.subscriptions, change.id, change.subscription)
  return { 'put', created_at }
end

-- Deletes a tracker. Its record stays, disabled and without headers, so that owed deliveries end as endpoint_disabled.
--   change: id, operation
-- Reply {'deleted'}
-- Refusals {'missing'}: there is none, or another operation deleted it
function trackers.delete(key, change)
  local record = redis.call('HMGET', key.destination, 'enabled', 'deleted_by')
  if record[1] ~= '1' then
    return { record[2] == change.operation and 'deleted' or 'missing' }
  end
  redis.call('HDEL', key.subscriptions, change.id)
  redis.call('HDEL', key.destination, 'headers')
  redis.call('HSET', key.destination, 'enabled', '0', 'deleted_by', change.operation)
  return { 'deleted' }
end
