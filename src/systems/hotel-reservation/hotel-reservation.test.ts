/** What must hold of Hotel Reservation, so that what is learnt here holds for the original. */
import { expect, test } from 'vitest'
import { system } from './system.ts'

interface Workload {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec: {
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> }
      readonly spec: { readonly containers: readonly Readonly<Record<string, unknown>>[] }
    }
  }
}

const workloads = (system.manifests as Workload[]).filter(({ kind }) => kind === 'Deployment')

test('there are nineteen Deployments, each with the label of the original and none with a probe', () => {
  expect(workloads).toHaveLength(19)
  for (const { metadata, spec } of workloads) {
    const { name } = metadata
    expect(spec.template.metadata.labels).toEqual({ 'io.kompose.service': name, app: name })
    for (const container of spec.template.spec.containers)
      expect(Object.keys(container).filter((key) => key.endsWith('Probe'))).toEqual([])
  }
})

test('seven edges lead to services, nine to stores and eight to Consul', () => {
  const edges = system.edges!
  const isStore = (name: string): boolean => /^(mongodb|memcached)-/.test(name)
  expect(edges.filter(({ to }) => to === 'consul')).toHaveLength(8)
  expect(edges.filter(({ to }) => isStore(to))).toHaveLength(9)
  expect(edges).toHaveLength(24)
})

test('only the MongoDBs of geo and rate ask for a login', () => {
  const asking = Object.entries(system.topology!.services)
    .filter(([, { behaviour }]) => behaviour.store?.users !== undefined)
    .map(([name]) => name)
  expect(asking).toEqual(['mongodb-geo', 'mongodb-rate'])
})

test('the mix is that of the original', () => {
  const weights = system.workload!.journeys.map(({ name, weight }) => [name, weight])
  expect(Object.fromEntries(weights)).toEqual({
    search_hotel: 60,
    recommend: 39,
    user_login: 0.5,
    reserve: 0.5,
  })
})
