/** Tests that Hotel Reservation matches the original in workloads, edges, logins and load. */
import { expect, test } from 'vitest'
import { type ApiObject, containersOf, podTemplateOf } from '#spec'
import { system } from './system.ts'

const workloads = (system.manifests as ApiObject[]).filter(({ kind }) => kind === 'Deployment')

test('there are nineteen Deployments, with the labels of the original and without probes', () => {
  expect(workloads).toHaveLength(19)
  for (const workload of workloads) {
    const { name } = workload.metadata
    expect(podTemplateOf(workload)?.metadata?.labels).toEqual({ 'io.kompose.service': name, app: name })
    for (const container of containersOf(workload))
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

test('only the MongoDBs of geo and rate require a login', () => {
  const withLogin = Object.entries(system.topology!.services)
    .filter(([, { behaviour }]) => behaviour.store?.users !== undefined)
    .map(([name]) => name)
  expect(withLogin).toEqual(['mongodb-geo', 'mongodb-rate'])
})

test('the weights of the journeys are those of the original', () => {
  const weights = system.workload!.journeys.map(({ name, weight }) => [name, weight])
  expect(Object.fromEntries(weights)).toEqual({
    search_hotel: 60,
    recommend: 39,
    user_login: 0.5,
    reserve: 0.5,
  })
})
