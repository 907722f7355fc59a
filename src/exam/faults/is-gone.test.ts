/** Tests that faults in pod templates also accept correct fixes other than the reference fix, but no partial fixes. */
import { describe, expect, it } from 'vitest'
import { defined } from '#kit'
import type { ApiObject } from '#spec'
import { createSystemView } from '#world/system-view'
import { loadSystem } from '#world/systems'
import { loadFault } from './index.ts'
import { isGone, setVariable, withContainer } from './testing/is-gone.ts'

const boutique = createSystemView(await loadSystem('online-boutique'))
const simple = createSystemView(await loadSystem('simple-micro'))
const tickets = createSystemView(await loadSystem('train-ticket'))
const socialNetwork = createSystemView(await loadSystem('social-network'))
const [tokenReader] = (await loadFault('token-expired')).targets(tickets)

describe('a command', () => {
  it.each([
    [['TextService'], true],
    [['/usr/local/bin/TextService'], true],
    [undefined, true],
    [['sh', '-c', 'exec TextService'], true],
    [['/bin/bash', '-ec', 'exec /usr/local/bin/TextService'], true],
    [['sh', '-c', 'TextService'], true],
    [
      socialNetwork.entrypointOf!(socialNetwork.workloadOf('text-service').podSpec.containers[0]!.image!),
      true,
    ],
    [['/opt/app/bin/server'], false],
    [['sh', '-c', 'ulimit -n 512; exec TextService'], false],
    [['sh', '-c', 'mkdir /tmp/started && exec TextService'], false],
    [['sh', '-c', 'exec TextService &'], false],
    [['sh', '-c', 'exec $(echo TextService)'], false],
    [['sh', '-c', 'LIMIT=1 exec TextService'], false],
    [['sh', '-c', 'LIMIT=1 TextService'], false],
    [['sh', '-c', 'TextService\nexit 1'], false],
    [['sh', '-c', 'exec TextService', 'x'], false],
    [['timeout', '600', 'TextService'], false],
    [['/tmp/TextService'], false],
    [['TextService', '--quiet'], false],
  ])('%j is accepted: %s', async (command, holds) => {
    const now = withContainer(socialNetwork, 'text-service', (container) => {
      container.command = command
    })
    const goneCase = { fault: 'command-wrong', system: socialNetwork, target: { service: 'text-service' } }
    expect(await isGone({ ...goneCase, params: { program: 'application' } }, now)).toBe(holds)
  })

  it.each([
    [['sh', '-c'], true],
    [['/bin/sh', '-c'], true],
    [['/bin/bash', '-c'], true],
    [['sh', '-c', 'ulimit -n 512; exec sh -c "$@"', 'sh'], false],
    [['sh', '-c', 'exec sh'], false],
  ])(
    '%j is accepted if the former command was a shell with a script as its argument: %s',
    async (command, holds) => {
      const now = withContainer(simple, 'time-service', (container) => {
        container.command = command
      })
      const goneCase = { fault: 'command-wrong', system: simple, target: { service: 'time-service' } }
      expect(await isGone({ ...goneCase, params: { program: 'application' } }, now)).toBe(holds)
    },
  )

  it('in a wrapper is accepted in older records', async () => {
    const now = withContainer(socialNetwork, 'text-service', (container) => {
      container.command = ['sh', '-c', 'ulimit -n 512; exec TextService']
    })
    const goneCase = { fault: 'command-wrong', system: socialNetwork, target: { service: 'text-service' } }
    expect(await isGone({ ...goneCase, params: { program: 'application' }, rules: 4 }, now)).toBe(true)
  })
})

describe('a lowered limit', () => {
  const goneCase = {
    fault: 'limits-squeezed',
    system: boutique,
    target: { service: 'cartservice', resource: 'cpu' },
  }
  const deployed = boutique.workloadOf('cartservice').podSpec.containers[0]!.resources!.limits!
  const cpuMilli = Number.parseInt(deployed.cpu!, 10)
  it.each([
    [`${cpuMilli}m`, true],
    [String(cpuMilli / 1000), true],
    [`${1.5 * cpuMilli}m`, true],
    [`${5 * cpuMilli}m`, false],
    [`${cpuMilli - 1}m`, false],
    [undefined, false],
  ])('is restored by %s: %s', async (cpu, holds) => {
    const now = withContainer(boutique, 'cartservice', (container) => {
      container.resources = { limits: { ...deployed, cpu } }
    })
    expect(await isGone(goneCase, now)).toBe(holds)
  })
})

describe('a missing claim', () => {
  const goneCase = { fault: 'claim-missing', system: boutique, target: { service: 'cartservice' } }
  const objectsWithVolume = withContainer(boutique, 'cartservice', (_container, podSpec) => {
    podSpec.volumes = [{ name: 'data-volume', persistentVolumeClaim: { claimName: 'cartservice-data' } }]
  })
  const claim = (name: string): ApiObject => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace: boutique.namespace },
  })

  it('is repaired by removing the volume or by creating the claim', async () => {
    expect(await isGone(goneCase, objectsWithVolume)).toBe(false)
    expect(await isGone(goneCase, [...objectsWithVolume, claim('another')])).toBe(false)
    expect(await isGone(goneCase, [...objectsWithVolume, claim('cartservice-data')])).toBe(true)
    expect(await isGone(goneCase, boutique.objects)).toBe(true)
  })

  it('must not be replaced by a claim of another service', async () => {
    const target = { service: 'text-service' }
    const objectsMounting = (claimName: string, ...services: readonly string[]) =>
      services.reduce(
        (objects, service) =>
          objects.map((object) =>
            object.kind === 'Deployment' && object.metadata.name === service
              ? withContainer(socialNetwork, service, (_container, podSpec) => {
                  const volume = { name: 'data-volume', persistentVolumeClaim: { claimName } }
                  podSpec.volumes = [...((podSpec.volumes ?? []) as object[]), volume]
                }).find(({ kind, metadata }) => kind === object.kind && metadata.name === service)!
              : object,
          ),
        socialNetwork.objects,
      )
    const isRepairedBy = (now: readonly ApiObject[], claimTarget = target) =>
      isGone({ fault: 'claim-missing', system: socialNetwork, target: claimTarget }, now)
    const createdClaim = claim('text-service-data')
    expect(await isRepairedBy(objectsMounting('post-storage-mongodb', 'text-service'))).toBe(false)
    expect(await isRepairedBy([...objectsMounting('text-service-data', 'text-service'), createdClaim])).toBe(
      true,
    )
    expect(
      await isRepairedBy([
        ...objectsMounting('text-service-data', 'text-service', 'user-service'),
        createdClaim,
      ]),
    ).toBe(false)
    // The service must keep its former claims in addition to the new one.
    const store = { service: 'user-mongodb' }
    expect(await isRepairedBy([...objectsMounting('x', 'user-mongodb'), claim('x')], store)).toBe(true)
  })
})

describe('the maximum age of tokens', () => {
  it.each([
    ['0', false],
    ['1', false],
    ['3600', true],
    ['86400', true],
    ['3153600000', false],
  ])('of %s s is accepted: %s', async (seconds, holds) => {
    const now = withContainer(tickets, tokenReader!.service, setVariable('JWT_MAX_AGE', seconds))
    expect(await isGone({ fault: 'token-expired', system: tickets, target: tokenReader! }, now)).toBe(holds)
  })
})

describe('the resources of a container', () => {
  const { limits, requests } = boutique.workloadOf('cartservice').podSpec.containers[0]!.resources!
  it.each([
    [requests, true],
    [undefined, true],
    [{ cpu: '8m', memory: '1Mi' }, false],
  ])('with the requests %j are accepted: %s', async (newRequests, holds) => {
    const now = withContainer(boutique, 'cartservice', (container) => {
      container.resources = { limits, requests: newRequests }
    })
    const target = { service: 'cartservice', resource: 'cpu' }
    for (const fault of ['limits-squeezed', 'pod-config-error'])
      expect(await isGone({ fault, system: boutique, target }, now)).toBe(holds)
  })
})

it('a log level is accepted if it reports errors without a flood', async () => {
  const goneCase = { fault: 'log-flood', system: boutique, target: { service: 'currencyservice' } }
  for (const [level, holds] of [
    ['info', true],
    ['INFO', true],
    ['warn', true],
    ['WARNING', true],
    ['error', true],
    ['debug', false],
    ['trace', false],
    ['TRACE', false],
    ['off', false],
  ] as const)
    expect(
      await isGone(goneCase, withContainer(boutique, 'currencyservice', setVariable('LOG_LEVEL', level))),
    ).toBe(holds)
})

describe('a bandwidth limit', () => {
  it.each<[string | undefined, boolean]>([
    [undefined, true],
    ['100M', true],
    ['1G', true],
    ['4k', false],
    ['5k', false],
    ['4Ki', false],
    ['much', false],
  ])('of %s is accepted: %s', async (cap, holds) => {
    const now = boutique.objects.map((object) => {
      if (object !== boutique.workloadOf('cartservice').manifest) return object
      const copy = structuredClone(object)
      const { template } = copy.spec as { template: { metadata: { annotations?: object } } }
      template.metadata.annotations = cap === undefined ? {} : { 'kubernetes.io/egress-bandwidth': cap }
      return copy
    })
    const goneCase = { fault: 'bandwidth-cap', system: boutique, target: { service: 'cartservice' } }
    expect(await isGone(goneCase, now)).toBe(holds)
  })
})

describe('an emptyDir for a store that had one', () => {
  const goneCase = { fault: 'volume-full', system: boutique, target: { service: 'redis-cart' } }
  it.each<[object, boolean]>([
    [{ emptyDir: {} }, true],
    [{ emptyDir: { sizeLimit: '1Gi' } }, true],
    [{ emptyDir: { sizeLimit: '64Mi' } }, true],
    [{ emptyDir: { medium: 'Memory', sizeLimit: '64Mi' } }, false],
    [{ emptyDir: { medium: 'Memory' } }, false],
    [{ emptyDir: { medium: 'Memory', sizeLimit: '24Ki' } }, false],
    [{ emptyDir: { sizeLimit: '63Mi' } }, false],
    [{ persistentVolumeClaim: { claimName: 'other' } }, false],
    [{ hostPath: { path: '/tmp' } }, false],
  ])('%j is accepted: %s', async (source, holds) => {
    const now = withContainer(boutique, 'redis-cart', (_container, podSpec) => {
      podSpec.volumes = [{ name: 'redis-data', ...source }]
    })
    expect(await isGone(goneCase, now)).toBe(holds)
  })
})

it('a volume in memory is accepted in older records', async () => {
  const now = withContainer(boutique, 'redis-cart', (_container, podSpec) => {
    podSpec.volumes = [{ name: 'redis-data', emptyDir: { medium: 'Memory' } }]
  })
  const goneCase = { fault: 'volume-full', system: boutique, target: { service: 'redis-cart' } }
  expect(await isGone({ ...goneCase, rules: 6 }, now)).toBe(true)
})

describe('host aliases', () => {
  const goneCase = {
    fault: 'dns-misdirected',
    system: boutique,
    target: { service: 'frontend', upstream: 'cartservice' },
    params: { by: 'hosts' },
  }
  const [address, name] = ['10.96.7.7', 'cartservice']
  const fullName = `${name}.${boutique.namespace}.svc.cluster.local`
  const judge = (hostAliases: object[], rules?: number): Promise<boolean> => {
    const changed = withContainer(boutique, 'frontend', (_container, podSpec) => {
      podSpec.hostAliases = hostAliases
    })
    const now = changed.map((object) =>
      object.kind === 'Service' && object.metadata.name === name
        ? { ...object, spec: { ...(object.spec as object), clusterIP: address } }
        : object,
    )
    return isGone({ ...goneCase, ...defined({ rules }) }, now)
  }
  it.each<[object[], boolean]>([
    [[], true],
    [[{ ip: address, hostnames: [name, fullName] }], true],
    [[{ ip: address, hostnames: [name] }], true],
    [[{ ip: '127.0.0.1', hostnames: [name] }], false],
    [[{ ip: address, hostnames: [name, 'adservice'] }], false],
    [[{ ip: address, hostnames: ['example.com'] }], false],
    [
      [
        { ip: address, hostnames: [name] },
        { ip: '10.96.9.9', hostnames: [fullName] },
      ],
      false,
    ],
  ])('%j are accepted if they lead to the right Service: %s', async (hostAliases, holds) => {
    expect(await judge(hostAliases)).toBe(holds)
  })

  it('must be the former ones in older records', async () => {
    expect(await judge([{ ip: address, hostnames: [name] }], 6)).toBe(false)
  })
})

describe('the DNS configuration of a pod', () => {
  const target = { service: 'frontend', upstream: 'cartservice' }
  const goneCase = { fault: 'dns-misdirected', system: boutique, target, params: { by: 'nameserver' } }
  const [dns, searchDomain] = ['10.96.0.10', `${boutique.namespace}.svc.cluster.local`]
  const isAccepted = (spec: object, state: Record<string, unknown> = { dns }) =>
    isGone(
      { ...goneCase, state },
      withContainer(boutique, 'frontend', (_container, podSpec) => {
        Object.assign(podSpec, spec)
      }),
    )
  const explicitDns = (nameservers: string[], searches: string[]): object => ({
    dnsPolicy: 'None',
    dnsConfig: { nameservers, searches },
  })
  it.each<[string, object, boolean]>([
    ['the policy of the cluster', { dnsPolicy: 'ClusterFirst' }, true],
    ['the dead nameserver', explicitDns(['10.96.255.53'], []), false],
    [
      'the address of the cluster DNS',
      explicitDns([dns], [searchDomain, 'svc.cluster.local', 'cluster.local']),
      true,
    ],
    ['the cluster DNS without search domains', explicitDns([dns], []), false],
    ['the cluster DNS after the dead nameserver', explicitDns(['10.96.255.53', dns], [searchDomain]), false],
    ['no nameserver', explicitDns([], [searchDomain]), false],
    [
      'the cluster DNS with host aliases',
      { ...explicitDns([dns], [searchDomain]), hostAliases: [{ ip: '127.0.0.1' }] },
      false,
    ],
    ['the policy of the node', { dnsPolicy: 'Default' }, false],
  ])('with %s: %j is accepted: %s', async (_description, spec, holds) => {
    expect(await isAccepted(spec)).toBe(holds)
  })

  it('is not accepted if the record lacks the address of the cluster DNS', async () => {
    expect(await isAccepted(explicitDns([dns], [searchDomain]), {})).toBe(false)
  })
})
