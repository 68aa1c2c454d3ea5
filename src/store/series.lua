-- Counts that plots show (docs/decisions/0084-series.md), and by what charges are found (docs/decisions/0085-search.md). Other
-- functions call these; `tag` is the partition's, `of` has the seller and the mode that are counted (sellerId, mode). A commit
-- counts last: a count that a crash cut off is missing, not made twice. A broken count must not refuse a charge, hence pcall.

series.kept_millis = 400 * 86400000
series.times_kept_millis = 33 * 86400000
series.received_kept_millis = 4 * 86400000
-- Those of actors/values/latencyBins.ts.
series.latency_bins = 56

function series.hour_of(millis)
  return math.floor(millis / 3600000)
end

local function day_of(hour)
  return integer(math.floor(hour / 24))
end

-- The hour in which something happened by its seller's clock, which may be ahead in test mode.
function series.shown_hour(tag, of, millis)
  return series.hour_of(millis + clocks.ahead_at(tag, of.sellerId, of.mode, millis))
end

local function hour_of_entry(tag, of, entry)
  return series.shown_hour(tag, of, tonumber((string.match(entry, '^%d+'))))
end

-- Adds to a count of an hour.
local function count_in_hour(tag, of, hour, name, amount)
  local key = key_names.series(tag, of.sellerId, of.mode, day_of(hour))
  local sum = redis.pcall('HINCRBY', key, integer(hour % 24) .. ':' .. name, amount)
  if sum == 1 then
    redis.call('PEXPIRE', key, integer(series.kept_millis))
  end
end

-- Counts a new charge in the hour of its event.
function series.count_created(tag, of, entry)
  count_in_hour(tag, of, hour_of_entry(tag, of, entry), 'created', 1)
end

-- What a kind of movement adds to, by how often and by the centavos that came from outside or left. src/audit/seriesAudit.ts has
-- the same kinds.
local refunded = { count = 'refunded', amount = 'refunded_amount' }
local disputed = { count = 'disputed', amount = 'disputed_amount' }
local counts_of_kind = {
  charge_paid = { count = 'paid', amount = 'amount' },
  charge_refunded = refunded, charge_partially_refunded = refunded, refund_settled = refunded,
  charge_chargeback = disputed, charge_partial_chargeback = disputed
}

-- Counts the centavos of a live payment for all sellers of the partition.
local function count_received(tag, hour, amount)
  local key = key_names.received(tag, day_of(hour))
  local sum = redis.pcall('HINCRBY', key, integer(hour % 24), amount)
  if sum == tonumber(amount) then
    redis.call('PEXPIRE', key, integer(series.received_kept_millis))
  end
end

-- Counts a payment, a refund or a chargeback in the hour of its event. Other movements (nil = none) are not counted.
function series.count_moved(tag, of, entry, movement)
  local names = entry and movement and counts_of_kind[movement.kind]
  if not names then
    return
  end
  local hour = hour_of_entry(tag, of, entry)
  for _, posting in ipairs(movement.postings) do
    if posting.bucket == 'external' then
      count_in_hour(tag, of, hour, names.amount, integer(math.abs(posting.amount)))
      if of.mode == 'live' and movement.kind == 'charge_paid' then
        count_received(tag, hour, integer(math.abs(posting.amount)))
      end
    end
  end
  count_in_hour(tag, of, hour, names.count, 1)
end

-- Counts an attempt in the hour of its end, and its duration's bin (nil = none).
function series.count_delivery(tag, of, is_success, bin, hour)
  count_in_hour(tag, of, hour, is_success and 'succeeded' or 'failed', '1')
  if bin then
    local times = key_names.delivery_times(tag, of.sellerId, of.mode, day_of(hour))
    local place = '#' .. integer(hour % 24 * series.latency_bins + bin)
    local counted = redis.pcall('BITFIELD', times, 'OVERFLOW', 'SAT', 'INCRBY', 'u32', place, '1')
    if counted[1] == 1 then
      redis.call('PEXPIRE', times, integer(series.times_kept_millis))
    end
  end
end

-- Counts an endpoint's attempt in its day, for each hour two outcomes and then the bins
-- (docs/decisions/0084-series.md).
function series.count_of_endpoint(tag, endpoint_id, is_success, bin, hour)
  local key = key_names.endpoint_series(tag, endpoint_id, day_of(hour))
  local first = hour % 24 * (2 + series.latency_bins)
  local add = { 'BITFIELD', key, 'OVERFLOW', 'SAT', 'INCRBY', 'u24', '#' .. integer(first + (is_success and 0 or 1)), '1' }
  if bin then
    add[9], add[10], add[11], add[12] = 'INCRBY', 'u24', '#' .. integer(first + 2 + bin), '1'
  end
  local counted = redis.pcall(unpack(add))
  if counted[1] == 1 then
    redis.call('PEXPIRE', key, integer(series.times_kept_millis))
  end
end

-- Deletes all days of an endpoint's series that may be left.
function series.end_of_endpoint(tag, endpoint_id, now)
  local today = math.floor(series.hour_of(now) / 24)
  local days = {}
  for day = today - math.ceil(series.times_kept_millis / 86400000) - 1, today do
    days[#days + 1] = key_names.endpoint_series(tag, endpoint_id, integer(day))
  end
  redis.call('DEL', unpack(days))
end

-- Notes by which terms a charge is found (nil = by none).
--   lookup: the key of what charges are found by
function series.note_lookup(lookup, terms, id)
  local members = {}
  for _, term in ipairs(terms or {}) do
    members[#members + 1] = '0'
    members[#members + 1] = term .. ' ' .. id
  end
  if members[1] then
    redis.call('ZADD', lookup, unpack(members))
  end
end
