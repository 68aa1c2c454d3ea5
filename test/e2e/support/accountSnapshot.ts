import type { Stage } from "./stage.ts"

/**
 * A digest of every key of a Redis except those that change by themselves or with every request: heartbeats, leases of
 * partitions and closings, rate limits, open streams, cached counters, and the request log, which follows a second later. Hashes
 * count without when and where a session or key was last seen, and timers that poll a refund without the moment of its next poll.
 */
const digestScript = `
local ours = {'rate:', 'owner:', 'closing-lease:', 'processes', 'process-streams:', 'process-libraries:', 'streams:',
  'counters:', 'requests-', 'request-shares:'}
local seen = {last_seen_at = true, last_used_at = true, last_used_ip = true}
local lines = {}
for _, key in ipairs(redis.call('KEYS', '*')) do
  local counts = true
  for _, prefix in ipairs(ours) do
    if string.sub(key, 1, #prefix) == prefix then counts = false end
  end
  if counts then
    local content
    if redis.call('TYPE', key).ok == 'hash' then
      local values = redis.call('HGETALL', key)
      local fields = {}
      for i = 1, #values, 2 do
        if not seen[values[i]] then fields[#fields + 1] = values[i] .. '\\0' .. values[i + 1] end
      end
      table.sort(fields)
      content = table.concat(fields, '\\0')
    elseif string.sub(key, 1, 7) == 'timers:' then
      local timers = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
      local members = {}
      for i = 1, #timers, 2 do
        local moves = string.find(timers[i], ':poll_refund', 1, true)
        members[#members + 1] = timers[i] .. '\\0' .. (moves and '' or timers[i + 1])
      end
      table.sort(members)
      content = table.concat(members, '\\0')
    else
      content = redis.call('DUMP', key)
    end
    lines[#lines + 1] = key .. ' ' .. redis.sha1hex(content)
  end
end
table.sort(lines)
return lines
`

/** The content of a Redis now, in one line per key; equal where nothing has changed. */
export const snapshotOf = async (stage: Stage): Promise<ReadonlyArray<string>> =>
  (await stage.redis("EVAL", digestScript, 0)) as ReadonlyArray<string>

/** The keys that differ between two snapshots. */
export const changesBetween = (
  before: ReadonlyArray<string>,
  after: ReadonlyArray<string>,
): ReadonlyArray<string> => {
  const [wasThere, isThere] = [new Set(before), new Set(after)]
  const gone = before.filter((line) => !isThere.has(line))
  const changed = [...gone, ...after.filter((line) => !wasThere.has(line))]
  return [...new Set(changed.map((line) => line.slice(0, line.lastIndexOf(" "))))]
}
