/** Issues the service-account tokens of pods. */
import { serviceAccounts } from '#platform/kube/kinds'
import { API_AUDIENCE, type Client, type TokenIssuer } from '#platform/kube/ports'
import type { IssueToken } from '../kubelet-context.ts'

/** Returns a function that issues tokens; they are empty without an issuer or if the account does not exist. */
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
