/** A small API for tests of access: the real write path, the policy of a new cluster, the virtual clock. */
import { createRandom, createVirtualClock, deepFreeze, type VirtualClock } from '../../../kit/index.ts'
import type { Attributes, Client, User } from '../../ports/index.ts'
import { createResources, type Resources } from '../../resources/index.ts'
import { bootstrapCluster } from '../bootstrap-cluster.ts'
import { createEscalationCheck } from '../escalation-check.ts'
import { createRbacAuthorizer, type RbacAuthorizer } from '../rbac-authorizer.ts'

export interface TestAccess {
  clock: VirtualClock
  resources: Resources
  /** Trusted. */
  client: Client
  authorizer: RbacAuthorizer
  /** `can(user, 'list', 'pods', 'shop')`; resources of other groups as `deployments.apps`. */
  can(user: User, verb: string, resource: string, namespace?: string, name?: string): boolean
  attributes(user: User, verb: string, resource: string, namespace?: string, name?: string): Attributes
}

export const createTestAccess = (): TestAccess => {
  const clock = createVirtualClock()
  let authorizer: RbacAuthorizer
  const resources = createResources({
    clock,
    random: createRandom('access'),
    admission: [createEscalationCheck(() => authorizer)],
    store: { seal: deepFreeze },
  })
  const { client } = resources
  authorizer = createRbacAuthorizer(client)
  bootstrapCluster(client)
  const attributes: TestAccess['attributes'] = (user, verb, resource, namespace = '', name = '') => {
    const [path = '', ...group] = resource.split('.')
    const [plural = '', subresource = ''] = path.split('/')
    return {
      user,
      verb,
      resource: { group: group.join('.'), version: 'v1', plural, subresource, namespace, name },
    }
  }
  return {
    clock,
    resources,
    client,
    authorizer,
    attributes,
    can: (...request) => authorizer.authorize(attributes(...request)).allowed,
  }
}
