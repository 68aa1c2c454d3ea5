-- Deletes a withdrawal of test mode that has ended, or nothing: hash and indexes. It is noted that it is deleted, since the
-- ledger may name it.
-- KEYS.partition_index: the partition's index of its status
-- ARGV.changed_millis: when it changed last, in ms
-- ARGV_FROM.timers: members of the queue of timers
-- Reply {'deleted'}
-- Refusals {'stale'}: it is not as it was decided on, or not past retention
local function delete_test_withdrawal(keys, args)
  check_test(KEYS.ledger)
  local may_go = is_test_resource(KEYS.withdrawal, ARGV.seller_id, ARGV.version)
    and redis.call('HGET', KEYS.balance, 'open') ~= ARGV.withdrawal_id
    and is_past(
      KEYS.events, ARGV.newest_event, ARGV.changed_millis, ARGV.retention_millis, KEYS.timers, args, ARGV_FROM.timers,
      #args - ARGV_FROM.timers + 1
    )
  if not may_go then
    return { 'stale' }
  end

  count_trimming(KEYS.base)
  note_deleted(KEYS.deleted, KEYS.ledger, ARGV.withdrawal_id)
  redis.call('ZREM', KEYS.status_index, ARGV.withdrawal_id)
  redis.call('ZREM', KEYS.partition_index, ARGV.withdrawal_id)
  redis.call('ZREM', KEYS.index, ARGV.withdrawal_id)
  redis.call('DEL', KEYS.withdrawal)
  return { 'deleted' }
end

redis.register_function('corrente_delete_test_withdrawal', delete_test_withdrawal)
