/** Proves of causes in the environment of containers that other right answers count as well, and that half of one does not. */
import { describe, expect, it } from 'vitest'
import { createSystemView } from '../system-view/index.ts'
import { loadSystem } from '../systems/index.ts'
import { type Container, isGone, setVariable, withContainer } from './ask-is-gone.ts'
import { loadFault } from './index.ts'

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
  ])('%s: %s', async (fault, value, holds) => {
    const now = withContainer(boutique, 'frontend', setVariable('CART_SERVICE_ADDR', value))
    expect(await isGone({ fault, system: boutique, target }, now)).toBe(holds)
  })

  it('is right where the right one was added behind it, as the kubelet reads it', async () => {
    const now = withContainer(boutique, 'frontend', (container) => {
      setVariable('CART_SERVICE_ADDR', 'another:7070')(container)
      container.env!.push({ name: 'CART_SERVICE_ADDR', value: 'cartservice:7070' })
    })
    expect(await isGone({ fault: 'address-wrong', system: boutique, target }, now)).toBe(true)
  })
})

describe('the connections that a database takes', () => {
  const target = { service: 'tsdb-mysql' }
  it.each([
    ['4', false],
    ['50', false],
    ['151', true],
    ['400', true],
    ['1000000', false],
  ])('%s are enough and not too many: %s', async (value, holds) => {
    const [known] = (await loadFault('pool-too-small')).targets(tickets)
    expect(known).toEqual(target)
    const variable = /get\(env, "(\w+)"/.exec(
      tickets.topology!.services['tsdb-mysql']!.behaviour.store!.maxConnections!,
    )![1]!
    const now = withContainer(tickets, 'tsdb-mysql', setVariable(variable, value))
    expect(await isGone({ fault: 'pool-too-small', system: tickets, target }, now)).toBe(holds)
  })
})

/** With these variables as the last ones said, and without those that are undefined. */
const withEnv =
  (values: Readonly<Record<string, string | undefined>>) =>
  (container: Container): void => {
    const others = (container.env ?? []).filter(({ name }) => !(name in values))
    const said = Object.entries(values).flatMap(([name, value]) =>
      value === undefined ? [] : [{ name, value }],
    )
    container.env = [...others, ...said]
  }

describe('calls that are tried again', () => {
  const asked = { fault: 'retry-storm', system: hotel, target: { service: 'search' } }
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
  ])('after %s s, and %s times, are right: %s', async (timeout, retries, holds) => {
    const now = withContainer(hotel, 'search', withEnv({ GRPC_TIMEOUT: timeout, GRPC_RETRIES: retries }))
    expect(await isGone(asked, now)).toBe(holds)
  })

  it.each<[string, object[]]>([
    ['a second one behind the right one', [{ value: '10' }, { value: '0.002' }]],
    ['one that is said elsewhere', [{ valueFrom: { configMapKeyRef: { name: 'a', key: 'b' } } }]],
  ])('are not right by %s', async (_what, entries) => {
    const now = withContainer(hotel, 'search', (container) => {
      withEnv({ GRPC_TIMEOUT: undefined })(container)
      for (const entry of entries) container.env!.push({ name: 'GRPC_TIMEOUT', ...entry })
    })
    expect(await isGone(asked, now)).toBe(false)
  })
})

describe('the time for which a cache keeps things', () => {
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
  ])('of %s s is right: %s', async (seconds, holds) => {
    const now = withContainer(hotel, 'rate', withEnv({ MEMC_TTL: seconds }))
    expect(await isGone({ fault: 'cache-disabled', system: hotel, target: { service: 'rate' } }, now)).toBe(
      holds,
    )
  })
})

it('a volume is the same in whatever order it is written', async () => {
  const [target] = (await loadFault('volume-full')).targets(hotel)
  const volumesWith = (change: (volume: object) => object) =>
    withContainer(hotel, target!.service, (_container, podSpec) => {
      podSpec.volumes = (podSpec.volumes as object[]).map(change)
    })
  const turned = volumesWith((volume) => Object.fromEntries(Object.entries(volume).reverse()))
  const small = volumesWith(({ name }: { name?: string }) => ({ name, emptyDir: { medium: 'Memory' } }))
  const asked = { fault: 'volume-full', system: hotel, target: target! }
  expect(await isGone(asked, turned)).toBe(true)
  expect(await isGone(asked, small)).toBe(false)
})
