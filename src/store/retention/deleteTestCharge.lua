-- Deletes a charge of test mode that has ended, with all its refunds, or nothing: hashes and indexes. Where the ledger may name
-- them, it is noted that they are deleted.
-- ARGV.newest_event: of the charge and its refunds
-- ARGV.changed_millis: when the last of them changed, in ms
-- ARGV.may_have_moved_then_digests: '1'/'0', whether the ledger may name the charge; then, each after a space, the digests by
--   which it is found
-- ARGV_FROM.timers_then_refunds: members of the queue of timers, then of each refund its id, version, status, and '1'/'0',
--   whether the ledger may name it
-- Reply {'deleted'}
-- Refusals {'stale'}: it is not as it was decided on, or not past retention
local function is_charge_as_decided(keys, args, refunds_from)
  if not is_test_resource(KEYS.transaction, ARGV.seller_id, ARGV.version) then
    return false
  end
  if redis.call('ZCARD', KEYS.refunds_of) ~= (#args - refunds_from + 1) / 4 then
    return false
  end
  for i = refunds_from, #args, 4 do
    local is_known = redis.call('ZSCORE', KEYS.refunds_of, args[i])
    if not is_known or not is_test_resource(ARGV.refund_prefix .. args[i], ARGV.seller_id, args[i + 1]) then
      return false
    end
  end
  return true
end

local function delete_test_charge(keys, args)
  check_test(KEYS.ledger)
  local timers_from, timers = ARGV_FROM.timers_then_refunds, tonumber(ARGV.timers_count)
  local refunds_from = timers_from + timers
  local may_go = is_charge_as_decided(keys, args, refunds_from)
    and is_past(KEYS.events, ARGV.newest_event, ARGV.changed_millis, ARGV.retention_millis, KEYS.timers, args, timers_from, timers)
  if not may_go then
    return { 'stale' }
  end

  count_trimming(KEYS.base)
  for i = refunds_from, #args, 4 do
    if args[i + 3] == '1' then
      note_deleted(KEYS.deleted, KEYS.ledger, args[i])
    end
    redis.call('ZREM', KEYS.refund_index .. ':' .. args[i + 2], args[i])
    redis.call('ZREM', KEYS.refund_index, args[i])
    redis.call('DEL', ARGV.refund_prefix .. args[i])
  end
  if string.sub(ARGV.may_have_moved_then_digests, 1, 1) == '1' then
    note_deleted(KEYS.deleted, KEYS.ledger, ARGV.transaction_id)
  end
  for digest in string.gmatch(ARGV.may_have_moved_then_digests, ' (%S+)') do
    redis.call('ZREM', series.key_beside('lookup', KEYS.events), digest .. ' ' .. ARGV.transaction_id)
  end
  redis.call('ZREM', KEYS.status_index, ARGV.transaction_id)
  redis.call('ZREM', KEYS.index, ARGV.transaction_id)
  redis.call('DEL', KEYS.refunds_of, KEYS.transaction)
  return { 'deleted' }
end

redis.register_function('corrente_delete_test_charge', delete_test_charge)
