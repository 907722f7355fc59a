/** The service account controller: keeps a ServiceAccount `default` in every active namespace. */
import { namespaces, serviceAccounts } from '#platform/kube/kinds'
import { defineController, watching } from '../define-controller.ts'

const NAME = 'default'

export const serviceAccountController = defineController({
  name: 'service-account',
  watches: [
    watching(namespaces, ({ type, object }) => (type === 'DELETED' ? [] : [object.metadata.name])),
    watching(serviceAccounts, ({ type, object }) =>
      type === 'DELETED' && object.metadata.name === NAME ? [object.metadata.namespace ?? ''] : [],
    ),
  ],
  reconcile(namespace, { client }) {
    if (client.get(namespaces, '', namespace)?.status.phase !== 'Active') return
    if (client.get(serviceAccounts, namespace, NAME) !== undefined) return
    client.create(serviceAccounts, { metadata: { name: NAME, namespace } })
  },
})
