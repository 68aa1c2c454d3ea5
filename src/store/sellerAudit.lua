-- The sellers' audit logs (docs/contract/audit-log.md).

-- Appends an act, unless a call before this one did and its reply was lost.
--   act: operation, text (JSON), entriesMax, keptMillis
local function append(audit, act)
  for _, entry in ipairs(redis.call('XREVRANGE', audit, '+', '-', 'COUNT', 10)) do
    if entry[2][2] == act.operation then
      return
    end
  end
  redis.call('XADD', audit, 'MAXLEN', '~', act.entriesMax, '*', 'operation', act.operation, 'act', act.text)
  redis.call('XTRIM', audit, 'MINID', '~', integer(math.max(now_millis() - act.keptMillis, 0)))
  redis.call('PEXPIRE', audit, act.keptMillis)
end

-- Appends the act that a call is part of, where its reply says that it was done: both or neither. Returns the reply.
function seller_audit.with_act(audit, act, reply)
  for _, done in ipairs(act and act.replies or {}) do
    if reply[1] == done then
      append(audit, act)
    end
  end
  return reply
end

-- Does nothing itself: for an act whose effect lies elsewhere.
function seller_audit.append()
  return { 'appended' }
end
