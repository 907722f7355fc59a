/** The limit of the router's error messages: it reports a missing route to each sender at a limited rate. */
import { ERROR_TOKEN_MS, MAX_ERROR_TOKENS } from '../constants.ts'
import type { Endpoint } from './endpoint.ts'

/** Takes a token for one message; returns false if none is left. */
export const takeErrorToken = (endpoint: Endpoint, now: number): boolean => {
  const tokens = endpoint.errorTokens + (now - endpoint.errorTokensAt) / ERROR_TOKEN_MS
  endpoint.errorTokens = Math.min(MAX_ERROR_TOKENS, tokens)
  endpoint.errorTokensAt = now
  if (endpoint.errorTokens < 1) return false
  endpoint.errorTokens -= 1
  return true
}
