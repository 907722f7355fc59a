/** The token controller: fills token Secrets of service accounts, and deletes those of deleted accounts. */
import type { Secret } from 'kubernetes-types/core/v1.d.ts'
import { secrets, serviceAccounts } from '#platform/kube/kinds'
import type { Stored } from '#platform/kube/meta'
import { type Controller, defineController, keyOf, splitKey, watching } from '../define-controller.ts'

const TYPE = 'kubernetes.io/service-account-token'
const NAME = 'kubernetes.io/service-account.name'
const UID = 'kubernetes.io/service-account.uid'

export interface ServiceAccountTokenOptions {
  /** The CA certificate in PEM, stored with each token. */
  rootCertificate: string
  tokens: {
    issueLegacy(options: { namespace: string; name: string; uid: string; secretName: string }): string
  }
}

const isTokenSecret = ({ type }: Stored<Secret>): boolean => type === TYPE

const base64 = (text: string): string => Buffer.from(text).toString('base64')

export const createServiceAccountToken = ({
  rootCertificate,
  tokens,
}: ServiceAccountTokenOptions): Controller => {
  const dataOf = (secret: Stored<Secret>, account: string, uid: string): Record<string, string> => {
    const { namespace = '', name: secretName } = secret.metadata
    return {
      ...secret.data,
      'ca.crt': base64(rootCertificate),
      namespace: base64(namespace),
      token: secret.data?.token || base64(tokens.issueLegacy({ namespace, name: account, uid, secretName })),
    }
  }

  return defineController({
    name: 'serviceaccount-token',
    user: 'system:kube-controller-manager',
    watches: [
      watching(secrets, ({ type, object }) =>
        type !== 'DELETED' && isTokenSecret(object) ? [keyOf(object)] : [],
      ),
      watching(serviceAccounts, ({ type, object }, { client }) =>
        type === 'MODIFIED'
          ? []
          : client
              .list(secrets, object.metadata.namespace)
              .filter(
                (secret) =>
                  isTokenSecret(secret) && secret.metadata.annotations?.[NAME] === object.metadata.name,
              )
              .map(keyOf),
      ),
    ],
    reconcile(key, { client }) {
      const { namespace, name } = splitKey(key)
      const secret = client.get(secrets, namespace, name)
      if (secret === undefined || !isTokenSecret(secret) || secret.metadata.deletionTimestamp !== undefined)
        return
      const { annotations = {} } = secret.metadata
      const account = client.get(serviceAccounts, namespace, annotations[NAME] ?? '')
      const recordedUid = annotations[UID] ?? ''
      if (account === undefined || (recordedUid !== '' && recordedUid !== account.metadata.uid)) {
        client.delete(secrets, namespace, name, { preconditions: { uid: secret.metadata.uid } })
        return
      }
      const { uid } = account.metadata
      const data = dataOf(secret, account.metadata.name, uid)
      const isComplete = Object.entries(data).every(([entry, value]) => secret.data?.[entry] === value)
      if (recordedUid === uid && isComplete) return
      const metadata = { ...secret.metadata, annotations: { ...annotations, [UID]: uid } }
      client.update(secrets, { ...secret, metadata, data })
    },
  })
}
