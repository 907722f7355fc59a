/** Tests that a new cluster has the same roles and rules as a real one. */
import { readFileSync } from 'node:fs'
import type { PolicyRule } from 'kubernetes-types/rbac/v1.d.ts'
import { describe, expect, it } from 'vitest'
import {
  clusterRoleBindings,
  clusterRoles,
  namespaces,
  priorityClasses,
  storageClasses,
} from '#platform/kube/kinds'
import { createTestAccess } from '../testing/create-test-access.ts'

interface RealRole {
  name: string
  labels: Record<string, string>
  annotations: Record<string, string>
  aggregationRule?: object
  rules: PolicyRule[] | null
}

const realRoles = readFileSync(new URL('fixtures/cluster-roles.ndjson', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as RealRole)

/** The only addition: the rules that the metrics server installs. */
const isMetricsRule = ({ apiGroups }: PolicyRule): boolean => apiGroups?.includes('metrics.k8s.io') === true

const { client } = createTestAccess()

describe('the roles of a new cluster', () => {
  it.each(realRoles)(
    'equal those of a real cluster: $name',
    ({ name, labels, annotations, aggregationRule, rules }) => {
      const role = client.get(clusterRoles, '', name)!
      expect(role.metadata.labels).toEqual(labels)
      expect(role.metadata.annotations).toEqual(annotations)
      expect(role.aggregationRule).toEqual(aggregationRule)
      const ownRules =
        aggregationRule === undefined ? role.rules : role.rules!.filter((rule) => !isMetricsRule(rule))
      expect(ownRules).toEqual(rules ?? [])
    },
  )

  it('include only one role that a real cluster lacks: the metrics reader', () => {
    const names = client.list(clusterRoles).map(({ metadata }) => metadata.name)
    expect(names.filter((name) => !realRoles.some((role) => role.name === name))).toEqual([
      'system:aggregated-metrics-reader',
    ])
  })

  it('include the role of every binding', () => {
    for (const { roleRef } of client.list(clusterRoleBindings))
      expect(client.get(clusterRoles, '', roleRef.name)).toBeDefined()
  })
})

describe('a new cluster', () => {
  it('has the default namespaces and classes', () => {
    expect(client.list(namespaces).map(({ metadata }) => metadata.name)).toEqual([
      'default',
      'kube-node-lease',
      'kube-public',
      'kube-system',
    ])
    expect(client.list(priorityClasses).map(({ value }) => value)).toEqual([2_000_000_000, 2_000_001_000])
    expect(client.list(storageClasses).map(({ metadata }) => metadata.name)).toEqual(['standard'])
  })
})
