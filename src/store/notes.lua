-- Sellers' own notes on charges (docs/contract/notes.md).

-- Adds a note to a charge, unless a call before this one did and its reply was lost.
--   change: sellerId, mode, noteId, notesMax
--   texts: note (JSON)
-- Reply {'added'}
-- Refusals {'missing'}: the seller has no such charge in this mode  {'full'}: it has as many notes as it can
function notes.add(key, change, note)
  local charge = redis.call('HMGET', key.charge, 'seller', 'mode')
  if charge[1] ~= change.sellerId or charge[2] ~= change.mode then
    return { 'missing' }
  end
  if redis.call('HEXISTS', key.notes, change.noteId) == 1 then
    return { 'added' }
  end
  if redis.call('HLEN', key.notes) >= change.notesMax then
    return { 'full' }
  end
  redis.call('HSET', key.notes, change.noteId, note)
  return { 'added' }
end

-- Deletes a note of a charge.
--   change: noteId
-- Reply {'removed'}
-- Refusals {'missing'}: there is none
function notes.remove(key, change)
  return { redis.call('HDEL', key.notes, change.noteId) == 1 and 'removed' or 'missing' }
end
