/** OpenID discovery: how others check the tokens of this cluster's service accounts. */
import type { ServerResponse } from 'node:http'
import { API_AUDIENCE, type TokenIssuer } from '../ports/index.ts'
import { respond } from './respond.ts'

const KEYS_PATH = '/openid/v1/jwks'
const KEYS_TYPE = 'application/jwk-set+json'

export const openIdPaths: readonly string[] = ['/.well-known/openid-configuration', KEYS_PATH]

/** False when it is none of these paths. */
export const serveOpenId = (
  tokens: TokenIssuer,
  address: string,
  path: string,
  response: ServerResponse,
): boolean => {
  if (path === KEYS_PATH) {
    const json = JSON.stringify({ keys: tokens.publicKeys() })
    respond(response, { code: 200, json, headers: { 'Content-Type': KEYS_TYPE } })
    return true
  }
  if (path !== openIdPaths[0]) return false
  const json = JSON.stringify({
    issuer: API_AUDIENCE,
    jwks_uri: `https://${address}${KEYS_PATH}`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
  })
  respond(response, { code: 200, json })
  return true
}
