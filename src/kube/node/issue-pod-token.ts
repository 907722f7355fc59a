/** Makes the tokens by which pods prove who they are. */
import { serviceAccounts } from '../kinds/index.ts'
import { API_AUDIENCE, type Client, type TokenIssuer } from '../ports/index.ts'
import type { IssueToken } from './kubelet-context.ts'

/** Without an issuer, or without the account, tokens are empty. */
export const issuePodToken =
  (client: Client, tokens: TokenIssuer | undefined): IssueToken =>
  ({ metadata, spec }, audience = API_AUDIENCE, expirationSeconds) => {
    const namespace = metadata.namespace!
    const account = client.get(serviceAccounts, namespace, spec.serviceAccountName ?? 'default')
    if (account === undefined || tokens === undefined) return ''
    const { name, uid } = account.metadata
    const boundTo = { kind: 'Pod', apiVersion: 'v1', name: metadata.name, uid: metadata.uid }
    return tokens.issue({ namespace, name, uid, audiences: [audience], expirationSeconds, boundTo }).token
  }
