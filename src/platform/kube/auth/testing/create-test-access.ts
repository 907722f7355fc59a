/** The resource layer with RBAC and the bootstrap policy, for tests of authorisation. */
import { createRandom, createVirtualClock, deepFreeze, type VirtualClock } from '#kit'
import type { Attributes, Client, User } from '#platform/kube/ports'
import { createResources, type Resources } from '#platform/kube/resources'
import { bootstrapCluster } from '../bootstrap/bootstrap-cluster.ts'
import { createEscalationCheck } from '../rbac/escalation-check.ts'
import { createRbacAuthorizer, type RbacAuthorizer } from '../rbac/rbac-authorizer.ts'

export interface TestAccess {
  clock: VirtualClock
  resources: Resources
  /** A client without restrictions. */
  client: Client
  authorizer: RbacAuthorizer
  /** `can(user, 'list', 'pods', 'shop')`; resources of other groups are written as `deployments.apps`. */
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
