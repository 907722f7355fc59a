/** Proves of causes in pod templates that other right answers count as well, and that half of one does not. */
import { describe, expect, it } from 'vitest'
import type { ApiObject } from '../spec/index.ts'
import { createSystemView } from '../system-view/index.ts'
import { loadSystem } from '../systems/index.ts'
import { isGone, setVariable, withContainer } from './ask-is-gone.ts'
import { loadFault } from './index.ts'

const boutique = createSystemView(await loadSystem('online-boutique'))
const tickets = createSystemView(await loadSystem('train-ticket'))
const network = createSystemView(await loadSystem('social-network'))
const [tokenReader] = (await loadFault('token-expired')).targets(tickets)

describe('a command', () => {
  it.each([
    [['TextService'], true],
    [['/usr/local/bin/TextService'], true],
    [undefined, true],
    [['/opt/app/bin/server'], false],
  ])('%j is right: %s', async (command, holds) => {
    const now = withContainer(network, 'text-service', (container) => {
      container.command = command
    })
    const asked = { fault: 'command-wrong', system: network, target: { service: 'text-service' } }
    expect(await isGone({ ...asked, params: { program: 'application' } }, now)).toBe(holds)
  })
})

describe('a limit that was squeezed', () => {
  const asked = {
    fault: 'limits-squeezed',
    system: boutique,
    target: { service: 'cartservice', resource: 'cpu' },
  }
  const deployed = boutique.workloadOf('cartservice').podSpec.containers[0]!.resources!.limits!
  const milli = Number.parseInt(deployed.cpu!, 10)
  it.each([
    [`${milli}m`, true],
    [String(milli / 1000), true],
    [`${1.5 * milli}m`, true],
    [`${5 * milli}m`, false],
    [`${milli - 1}m`, false],
    [undefined, false],
  ])('is back at %s: %s', async (cpu, holds) => {
    const now = withContainer(boutique, 'cartservice', (container) => {
      container.resources = { limits: { ...deployed, cpu } }
    })
    expect(await isGone(asked, now)).toBe(holds)
  })
})

describe('a claim that is missing', () => {
  const asked = { fault: 'claim-missing', system: boutique, target: { service: 'cartservice' } }
  const claiming = withContainer(boutique, 'cartservice', (_container, podSpec) => {
    podSpec.volumes = [{ name: 'data-volume', persistentVolumeClaim: { claimName: 'cartservice-data' } }]
  })
  const claim = (name: string): ApiObject => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace: boutique.namespace },
  })

  it('is still missed, unless the template does without or somebody makes it', async () => {
    expect(await isGone(asked, claiming)).toBe(false)
    expect(await isGone(asked, [...claiming, claim('another')])).toBe(false)
    expect(await isGone(asked, [...claiming, claim('cartservice-data')])).toBe(true)
    expect(await isGone(asked, boutique.objects)).toBe(true)
  })

  it('is not to be replaced by what others keep their data in', async () => {
    const target = { service: 'text-service' }
    const mounting = (claimName: string, ...services: readonly string[]) =>
      services.reduce(
        (objects, service) =>
          objects.map((object) =>
            object.kind === 'Deployment' && object.metadata.name === service
              ? withContainer(network, service, (_container, podSpec) => {
                  const volume = { name: 'data-volume', persistentVolumeClaim: { claimName } }
                  podSpec.volumes = [...((podSpec.volumes ?? []) as object[]), volume]
                }).find(({ kind, metadata }) => kind === object.kind && metadata.name === service)!
              : object,
          ),
        network.objects,
      )
    const gone = (now: readonly ApiObject[], of = target) =>
      isGone({ fault: 'claim-missing', system: network, target: of }, now)
    const made = claim('text-service-data')
    expect(await gone(mounting('post-storage-mongodb', 'text-service'))).toBe(false)
    expect(await gone([...mounting('text-service-data', 'text-service'), made])).toBe(true)
    expect(await gone([...mounting('text-service-data', 'text-service', 'user-service'), made])).toBe(false)
    // Those that a service had it keeps, beside the one that is made for it.
    const store = { service: 'user-mongodb' }
    expect(await gone([...mounting('x', 'user-mongodb'), claim('x')], store)).toBe(true)
  })
})

describe('the greatest age of tokens', () => {
  it.each([
    ['0', false],
    ['1', false],
    ['3600', true],
    ['86400', true],
    ['3153600000', false],
  ])('of %s s is right: %s', async (seconds, holds) => {
    const now = withContainer(tickets, tokenReader!.service, setVariable('JWT_MAX_AGE', seconds))
    expect(await isGone({ fault: 'token-expired', system: tickets, target: tokenReader! }, now)).toBe(holds)
  })
})

describe('a probe that asks in the wrong way', () => {
  const asked = {
    fault: 'liveness-kills',
    system: boutique,
    target: { service: 'frontend' },
    params: { way: 'port', period: 1 },
  }
  const { livenessProbe, ports } = boutique.workloadOf('frontend').podSpec.containers[0]! as unknown as {
    livenessProbe: { httpGet: { path: string; port: number } }
    ports: readonly { containerPort: number }[]
  }
  const own = ports[0]!.containerPort
  it.each([
    [livenessProbe, true],
    [{ ...livenessProbe, periodSeconds: 15 }, true],
    [{ ...livenessProbe, httpGet: { path: livenessProbe.httpGet.path, port: own } }, true],
    [{ ...livenessProbe, periodSeconds: 3600 }, false],
    [{ ...livenessProbe, failureThreshold: 1000 }, false],
    [{ httpGet: { ...livenessProbe.httpGet, path: '/static/icons/Hipster_Favicon.ico' } }, false],
    [{ exec: { command: ['true'] }, periodSeconds: 3600 }, false],
    [{ tcpSocket: { port: own } }, false],
    [{ tcpSocket: { port: Math.max(8080, own) + 1 }, periodSeconds: 3600 }, false],
    [undefined, false],
  ])('%j is right: %s', async (probe, holds) => {
    const now = withContainer(boutique, 'frontend', (container) => {
      container.livenessProbe = probe
    })
    expect(await isGone(asked, now)).toBe(holds)
  })

  it.each([
    [{ grpc: { port: 5050 } }, true],
    [{ grpc: { port: 5050, service: '' } }, true],
    [{ grpc: { port: 5050, service: 'other' } }, false],
    [{ grpc: { port: 5051 } }, false],
    [{ exec: { command: ['/bin/grpc_health_probe', '-addr=:5050', '-rpc-timeout=5s'] } }, true],
    [{ exec: { command: ['/bin/grpc_health_probe', '--addr', 'localhost:5050'] } }, true],
    [{ exec: { command: ['/bin/grpc_health_probe', '-addr=cartservice:5050'] } }, false],
    [{ exec: { command: ['/bin/grpc_health_probe', '-addr=:5051'] } }, false],
  ])('%j is right where gRPC was asked: %s', async (probe, holds) => {
    const now = withContainer(boutique, 'checkoutservice', (container) => {
      container.livenessProbe = probe
    })
    expect(await isGone({ ...asked, target: { service: 'checkoutservice' } }, now)).toBe(holds)
  })

  it.each([
    [undefined, true],
    [{ tcpSocket: { port: 8080 } }, false],
    [{ exec: { command: ['true'] } }, false],
  ])('%j is right where there was none: %s', async (probe, holds) => {
    const service = tickets.workloads.find(
      ({ podSpec }) => podSpec.containers[0]!.livenessProbe === undefined && podSpec.containers[0]!.ports,
    )!.service
    const now = withContainer(tickets, service, (container) => {
      container.livenessProbe = probe
    })
    const target = { service }
    expect(await isGone({ ...asked, system: tickets, target }, now)).toBe(holds)
  })
})

describe('what a container may use and can count on', () => {
  const { limits, requests } = boutique.workloadOf('cartservice').podSpec.containers[0]!.resources!
  it.each([
    [requests, true],
    [undefined, true],
    [{ cpu: '8m', memory: '1Mi' }, false],
  ])('requests %j: %s', async (given, holds) => {
    const now = withContainer(boutique, 'cartservice', (container) => {
      container.resources = { limits, requests: given }
    })
    const target = { service: 'cartservice', resource: 'cpu' }
    for (const fault of ['limits-squeezed', 'pod-config-error'])
      expect(await isGone({ fault, system: boutique, target }, now)).toBe(holds)
  })
})

it('logging as usual may be said or not', async () => {
  const asked = { fault: 'log-flood', system: boutique, target: { service: 'currencyservice' } }
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
      await isGone(asked, withContainer(boutique, 'currencyservice', setVariable('LOG_LEVEL', level))),
    ).toBe(holds)
})

describe('a cap of bandwidth', () => {
  it.each<[string | undefined, boolean]>([
    [undefined, true],
    ['100M', true],
    ['1G', true],
    ['4k', false],
    ['5k', false],
    ['4Ki', false],
    ['much', false],
  ])('of %s is enough: %s', async (cap, holds) => {
    const now = boutique.objects.map((object) => {
      if (object !== boutique.workloadOf('cartservice').manifest) return object
      const copy = structuredClone(object)
      const { template } = copy.spec as { template: { metadata: { annotations?: object } } }
      template.metadata.annotations = cap === undefined ? {} : { 'kubernetes.io/egress-bandwidth': cap }
      return copy
    })
    const asked = { fault: 'bandwidth-cap', system: boutique, target: { service: 'cartservice' } }
    expect(await isGone(asked, now)).toBe(holds)
  })
})

describe('an empty folder for a store that had one', () => {
  const asked = { fault: 'volume-full', system: boutique, target: { service: 'redis-cart' } }
  it.each<[object, boolean]>([
    [{ emptyDir: {} }, true],
    [{ emptyDir: { sizeLimit: '1Gi' } }, true],
    [{ emptyDir: { medium: 'Memory', sizeLimit: '64Mi' } }, true],
    [{ emptyDir: { medium: 'Memory' } }, true],
    [{ emptyDir: { medium: 'Memory', sizeLimit: '24Ki' } }, false],
    [{ emptyDir: { sizeLimit: '63Mi' } }, false],
    [{ persistentVolumeClaim: { claimName: 'other' } }, false],
    [{ hostPath: { path: '/tmp' } }, false],
  ])('%j is right: %s', async (source, holds) => {
    const now = withContainer(boutique, 'redis-cart', (_container, podSpec) => {
      podSpec.volumes = [{ name: 'redis-data', ...source }]
    })
    expect(await isGone(asked, now)).toBe(holds)
  })
})

describe('where names are looked up', () => {
  const target = { service: 'frontend', upstream: 'cartservice' }
  const asked = { fault: 'dns-misdirected', system: boutique, target, params: { by: 'nameserver' } }
  const [dns, home] = ['10.96.0.10', `${boutique.namespace}.svc.cluster.local`]
  const gone = (spec: object, state: Record<string, unknown> = { dns }) =>
    isGone(
      { ...asked, state },
      withContainer(boutique, 'frontend', (_container, podSpec) => {
        Object.assign(podSpec, spec)
      }),
    )
  const own = (nameservers: string[], searches: string[]): object => ({
    dnsPolicy: 'None',
    dnsConfig: { nameservers, searches },
  })
  it.each<[string, object, boolean]>([
    ['as the cluster says', { dnsPolicy: 'ClusterFirst' }, true],
    ['at the dead address', own(['10.96.255.53'], []), false],
    ['at the same place, by its address', own([dns], [home, 'svc.cluster.local', 'cluster.local']), true],
    ['there, but not under short names', own([dns], []), false],
    ['there after the dead address', own(['10.96.255.53', dns], [home]), false],
    ['nowhere', own([], [home]), false],
    ['there, but for some', { ...own([dns], [home]), hostAliases: [{ ip: '127.0.0.1' }] }, false],
    ['as the node does', { dnsPolicy: 'Default' }, false],
  ])('%s: %j is right: %s', async (_what, spec, holds) => {
    expect(await gone(spec)).toBe(holds)
  })

  it('is taken for right by nothing that a record does not have', async () => {
    expect(await gone(own([dns], [home]), {})).toBe(false)
  })
})
