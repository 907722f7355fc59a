/** Serves OpenID discovery, with which other systems verify service account tokens. */
import type { ServerResponse } from 'node:http'
import { API_AUDIENCE, type TokenIssuer } from '#platform/kube/ports'
import { respond } from '../answer/respond.ts'

const KEYS_PATH = '/openid/v1/jwks'
const KEYS_TYPE = 'application/jwk-set+json'

export const openIdPaths: readonly string[] = ['/.well-known/openid-configuration', KEYS_PATH]

/** Returns false if the path does not exist. */
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
