/** Tests of aggregated ClusterRoles. */
import { describe, expect, it } from 'vitest'
import { clusterRoles } from '#platform/kube/kinds'
import { createTestCluster } from '../testing/create-test-cluster.ts'
import { createClusterRoleAggregation } from './cluster-role-aggregation.ts'

const LABEL = 'rbac.authorization.k8s.io/aggregate-to-view'
const rule = (resource: string) => ({ apiGroups: ['example.com'], resources: [resource], verbs: ['get'] })

const labelledRole = (name: string, resource: string) => ({
  metadata: { name, labels: { [LABEL]: 'true' } },
  rules: [rule(resource)],
})

describe('an aggregated role', () => {
  it('has the rules of the roles that its selectors match', () => {
    const { client, clock, errors } = createTestCluster([createClusterRoleAggregation()])
    const readRules = () => {
      clock.advance(10)
      return client.get(clusterRoles, '', 'view')?.rules
    }
    client.create(clusterRoles, {
      metadata: { name: 'view' },
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [LABEL]: 'true' } }] },
      rules: [],
    })
    client.create(clusterRoles, labelledRole('b', 'bananas'))
    client.create(clusterRoles, labelledRole('a', 'apples'))
    client.create(clusterRoles, labelledRole('c', 'apples'))
    expect(readRules()).toEqual([rule('apples'), rule('bananas')])
    const role = client.get(clusterRoles, '', 'b')!
    client.update(clusterRoles, { ...role, metadata: { ...role.metadata, labels: {} } })
    expect(readRules()).toEqual([rule('apples')])
    client.delete(clusterRoles, '', 'a')
    client.delete(clusterRoles, '', 'c')
    expect(readRules() ?? []).toEqual([])
    expect(errors).toEqual([])
  })
})
