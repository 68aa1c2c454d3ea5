-- Records an exception, unless its fact is recorded already.
-- ARGV_FROM.exception: as in exceptions/prelude.lua, to 'open' it
-- Reply {'opened'} {'exists', id}: the exception of the fact
local function open_exception(keys, args)
  local effect = {
    exception = KEYS.exception, facts = KEYS.exception_facts, old_index = KEYS.exception_old_index,
    new_index = KEYS.exception_new_index, old_kind_index = KEYS.exception_old_kind_index,
    new_kind_index = KEYS.exception_new_kind_index, arguments = args, first = ARGV_FROM.exception
  }
  local refusal = exception_refusal(effect)
  if refusal then
    return { refusal }
  end
  local known = write_exception(effect)
  return known and { 'exists', known } or { 'opened' }
end

redis.register_function('corrente_open_exception', open_exception)
