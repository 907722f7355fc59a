/** Tests that Train-Ticket matches the original in workloads, edges, releases and journeys. */
import { expect, test } from 'vitest'
import { system } from './system.ts'

const { services } = system.topology!
const names = Object.keys(services)

const countEdgesTo = (isCounted: (name: string) => boolean): number =>
  system.edges!.filter(({ to }) => isCounted(to)).length

test('there are fifty workloads, forty-six of them applications', () => {
  expect(names).toHaveLength(50)
  expect(names.filter((name) => name.startsWith('ts-'))).toHaveLength(46)
})

test('there are as many edges as in the original', () => {
  expect(countEdgesTo((name) => name.startsWith('ts-'))).toBe(126)
  expect(countEdgesTo((name) => name === 'tsdb-mysql')).toBe(27)
  expect(countEdgesTo((name) => name === 'rabbitmq')).toBe(3)
  expect(countEdgesTo((name) => name === 'nacos')).toBe(41)
  expect(countEdgesTo((name) => name === 'nacosdb-mysql')).toBe(1)
})

test('upstreams that the original never calls are declared dead', () => {
  const dead = names.flatMap((from) =>
    Object.entries(services[from]!.behaviour.upstreams ?? {})
      .filter(([to, upstream]) => upstream.dead === true && to.startsWith('ts-'))
      .map(([to]) => `${from} -> ${to}`),
  )
  expect(dead.sort()).toEqual([
    'ts-cancel-service -> ts-notification-service',
    'ts-gateway-service -> ts-avatar-service',
    'ts-order-other-service -> ts-station-service',
    'ts-order-service -> ts-station-service',
    'ts-preserve-other-service -> ts-notification-service',
    'ts-preserve-other-service -> ts-station-service',
    'ts-preserve-service -> ts-notification-service',
    'ts-preserve-service -> ts-station-service',
    'ts-wait-order-service -> ts-preserve-service',
  ])
})

test('all applications register, except for the five that are not in Java', () => {
  const unregistered = names.filter(
    (name) => name.startsWith('ts-') && services[name]!.behaviour.register === undefined,
  )
  expect(unregistered.sort()).toEqual([
    'ts-avatar-service',
    'ts-news-service',
    'ts-ticket-office-service',
    'ts-ui-dashboard',
    'ts-voucher-service',
  ])
})

test('every application except ts-delivery-service has a good release and six bad ones', () => {
  for (const name of names.filter(
    (candidate) => candidate.startsWith('ts-') && candidate !== 'ts-delivery-service',
  )) {
    const { image, releases } = services[name]!.deploy
    expect(image).toBe(`codewisdom/${name}:1.0.1`)
    const kinds = Object.values(releases!).map(({ defects = [] }) => defects[0]?.kind ?? 'good')
    expect(kinds.sort()).toEqual([
      'crash',
      'failing-endpoint',
      'good',
      'hot-loop',
      'leak',
      'slow',
      'wrong-port',
    ])
  }
})

test('twenty-six journeys have a weight, and the weights sum to 114 as in the original', () => {
  const weights = system.workload!.journeys.map(({ weight }) => weight).filter((weight) => weight > 0)
  expect(weights).toHaveLength(26)
  expect(weights.reduce((sum, weight) => sum + weight)).toBe(114)
})
