-- Single-use tokens of users (docs/contract/accounts.md#tokens).

-- Stores a token, which expires by itself.
--   change: fields, expiresAt
-- Reply {'issued'}
function user_tokens.issue(key, change)
  set_fields(key.token, change.fields)
  redis.call('PEXPIREAT', key.token, change.expiresAt)
  return { 'issued' }
end

-- Whether a token was issued since operators last signed its user out (users.shut_out).
function user_tokens.is_of_now(token, user)
  return redis.call('HGET', token, 'sign_outs') == redis.call('HGET', user, 'sign_outs')
end
