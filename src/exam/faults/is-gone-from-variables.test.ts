/**
 * Tests that faults in environment variables also accept correct fixes other than the reference fix,
 * but no partial fixes.
 */
import { describe, expect, it } from 'vitest'
import { createSystemView } from '#world/system-view'
import { loadSystem } from '#world/systems'
import { loadFault } from './index.ts'
import { type Container, isGone, setVariable, withContainer } from './testing/is-gone.ts'

const boutique = createSystemView(await loadSystem('online-boutique'))
const tickets = createSystemView(await loadSystem('train-ticket'))
const hotel = createSystemView(await loadSystem('hotel-reservation'))

describe('a wrong address', () => {
  const target = {
    service: 'frontend',
    variable: 'CART_SERVICE_ADDR',
    upstream: 'cartservice',
    value: 'cartservice:7070',
  }
  it.each([
    ['address-wrong', 'cartservice:7070', true],
    ['address-wrong', `cartservice.${boutique.namespace}.svc.cluster.local:7070`, true],
    ['address-wrong', `cartservice.${boutique.namespace}:7070`, true],
    ['address-wrong', 'cartservice-svc:7070', false],
    ['address-wrong', 'cartservice.staging:7070', false],
    ['address-wrong', 'another:7070', false],
    ['port-wrong', 'cartservice:7070', true],
    ['port-wrong', 'cartservice:7079', false],
  ])('of %s is repaired by %s: %s', async (fault, value, holds) => {
    const now = withContainer(boutique, 'frontend', setVariable('CART_SERVICE_ADDR', value))
    expect(await isGone({ fault, system: boutique, target }, now)).toBe(holds)
  })

  it('is repaired by a later duplicate with the correct value: the kubelet uses the last one', async () => {
    const now = withContainer(boutique, 'frontend', (container) => {
      setVariable('CART_SERVICE_ADDR', 'another:7070')(container)
      container.env!.push({ name: 'CART_SERVICE_ADDR', value: 'cartservice:7070' })
    })
    expect(await isGone({ fault: 'address-wrong', system: boutique, target }, now)).toBe(true)
  })
})

describe('the maximum number of connections of a database', () => {
  const target = { service: 'tsdb-mysql' }
  it.each([
    ['4', false],
    ['50', false],
    ['151', true],
    ['400', true],
    ['1000000', false],
  ])('of %s is accepted: %s', async (value, holds) => {
    const [firstTarget] = (await loadFault('pool-too-small')).targets(tickets)
    expect(firstTarget).toEqual(target)
    const variable = /get\(env, "(\w+)"/.exec(
      tickets.topology!.services['tsdb-mysql']!.behaviour.store!.maxConnections!,
    )![1]!
    const now = withContainer(tickets, 'tsdb-mysql', setVariable(variable, value))
    expect(await isGone({ fault: 'pool-too-small', system: tickets, target }, now)).toBe(holds)
  })
})

/** Returns a change of a container: sets the variables, at the end of its list, and removes the undefined ones. */
const setVariables =
  (values: Readonly<Record<string, string | undefined>>) =>
  (container: Container): void => {
    const others = (container.env ?? []).filter(({ name }) => !(name in values))
    const added = Object.entries(values).flatMap(([name, value]) =>
      value === undefined ? [] : [{ name, value }],
    )
    container.env = [...others, ...added]
  }

describe('calls with retries', () => {
  const goneCase = { fault: 'retry-storm', system: hotel, target: { service: 'search' } }
  it.each<[string | undefined, string | undefined, boolean]>([
    ['10', '0', true],
    [undefined, undefined, true],
    ['5', '0', true],
    ['2.5', '2', true],
    ['10', '12', false],
    [undefined, '24', false],
    ['0.002', undefined, false],
    ['0.002', '0', false],
    ['86400', '0', false],
    ['5s', '0', false],
    ['', '0', false],
    ['10', '0.5', false],
  ])('with a timeout of %s s and %s retries are accepted: %s', async (timeout, retries, holds) => {
    const now = withContainer(hotel, 'search', setVariables({ GRPC_TIMEOUT: timeout, GRPC_RETRIES: retries }))
    expect(await isGone(goneCase, now)).toBe(holds)
  })

  it.each<[string, object[]]>([
    ['a wrong duplicate after the correct value', [{ value: '10' }, { value: '0.002' }]],
    ['a value from a ConfigMap', [{ valueFrom: { configMapKeyRef: { name: 'a', key: 'b' } } }]],
  ])('are not accepted with %s', async (_description, entries) => {
    const now = withContainer(hotel, 'search', (container) => {
      setVariables({ GRPC_TIMEOUT: undefined })(container)
      for (const entry of entries) container.env!.push({ name: 'GRPC_TIMEOUT', ...entry })
    })
    expect(await isGone(goneCase, now)).toBe(false)
  })
})

describe('the time to live of a cache', () => {
  it.each<[string | undefined, boolean]>([
    ['3600', true],
    [undefined, true],
    ['0', true],
    ['600', true],
    ['2592000', true],
    ['2592001', false],
    ['3600000', false],
    ['-1', false],
    ['1', false],
    ['1h', false],
  ])('of %s s is accepted: %s', async (seconds, holds) => {
    const now = withContainer(hotel, 'rate', setVariables({ MEMC_TTL: seconds }))
    expect(await isGone({ fault: 'cache-disabled', system: hotel, target: { service: 'rate' } }, now)).toBe(
      holds,
    )
  })
})

it('a volume is compared independently of the order of its fields', async () => {
  const [target] = (await loadFault('volume-full')).targets(hotel)
  const volumesWith = (change: (volume: object) => object) =>
    withContainer(hotel, target!.service, (_container, podSpec) => {
      podSpec.volumes = (podSpec.volumes as object[]).map(change)
    })
  const reversed = volumesWith((volume) => Object.fromEntries(Object.entries(volume).reverse()))
  const small = volumesWith(({ name }: { name?: string }) => ({ name, emptyDir: { medium: 'Memory' } }))
  const goneCase = { fault: 'volume-full', system: hotel, target: target! }
  expect(await isGone(goneCase, reversed)).toBe(true)
  expect(await isGone(goneCase, small)).toBe(false)
})
