/** A small API for tests of admission: all plugins on the real write path, and one namespace with its account. */
import { createRandom, createVirtualClock, deepFreeze } from '../../../kit/index.ts'
import { namespaces, serviceAccounts } from '../../kinds/index.ts'
import type { Client } from '../../ports/index.ts'
import { createResources } from '../../resources/index.ts'
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
