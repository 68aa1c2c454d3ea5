-- Shared by all functions of the library; registers none itself.
-- Rules (docs/architecture.md#rules): validate everything, then write, since an error rolls nothing back; neither build nor
-- parse JSON; move money only by HINCRBY and integer strings; take the time from TIME; name keys by `key` and
-- `key_names` alone, so that all keys have one tag. Write large values first, and set counters instead of incrementing
-- them: a Redis with aof-load-truncated may apply the first part of a commit that a crash cut, which must do no harm.

local function now_millis()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

-- What a function that writes answers while its slot moves to another server (`ops partition move`).
local slot_moves = { err = 'MOVING the slot moves to another server' }

-- A whole number as a string: Lua writes large ones as 1.7e+12. Give commands strings: Redis turns a number into one with all the digits
-- that it may have, which takes longer than most commands.
local function integer(number)
  return string.format('%d', number)
end

-- Sets fields of a hash, which are given as a table.
local function set_fields(hash, fields)
  local pairs_of = {}
  for name, value in pairs(fields) do
    pairs_of[#pairs_of + 1] = name
    pairs_of[#pairs_of + 1] = value
  end
  redis.call('HSET', hash, unpack(pairs_of))
end
