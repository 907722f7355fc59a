/** A client with all admission plugins, and a namespace with a service account, for tests. */
import { createRandom, createVirtualClock, deepFreeze } from '#kit'
import { namespaces, serviceAccounts } from '#platform/kube/kinds'
import type { Client } from '#platform/kube/ports'
import { createResources } from '#platform/kube/resources'
import { admissionPlugins } from '../index.ts'

export const createTestAdmission = (): Client => {
  const random = createRandom('admission')
  const { client } = createResources({
    clock: createVirtualClock(),
    random,
    admission: admissionPlugins(random),
    store: { seal: deepFreeze },
  })
  client.create(namespaces, { metadata: { name: 'shop' } })
  client.create(serviceAccounts, { metadata: { name: 'default', namespace: 'shop' } })
  return client
}
