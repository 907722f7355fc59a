/** The controller that gives every active namespace its `default` ServiceAccount, and gives it back when it is deleted. */
import { namespaces, serviceAccounts } from '../kinds/index.ts'
import { defineController, watching } from './define-controller.ts'

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
