/** Tests which probes repair a fault in a probe: their check, their timing, and a startup probe next to them. */
import { describe, expect, it } from 'vitest'
import { defined } from '#kit'
import { createSystemView } from '#world/system-view'
import { loadSystem } from '#world/systems'
import { isGone, withContainer } from './testing/is-gone.ts'

const boutique = createSystemView(await loadSystem('online-boutique'))
const simple = createSystemView(await loadSystem('simple-micro'))
const tickets = createSystemView(await loadSystem('train-ticket'))

describe('a liveness probe', () => {
  const goneCase = {
    fault: 'liveness-kills',
    system: boutique,
    target: { service: 'frontend' },
    params: { way: 'port', period: 1 },
  }
  const { livenessProbe, ports } = boutique.workloadOf('frontend').podSpec.containers[0]! as unknown as {
    livenessProbe: { httpGet: { path: string; port: number } }
    ports: readonly { containerPort: number }[]
  }
  const frontendPort = ports[0]!.containerPort
  it.each([
    [livenessProbe, true],
    [{ ...livenessProbe, periodSeconds: 15 }, true],
    [{ ...livenessProbe, httpGet: { path: livenessProbe.httpGet.path, port: frontendPort } }, true],
    [{ ...livenessProbe, periodSeconds: 3600 }, false],
    [{ ...livenessProbe, failureThreshold: 1000 }, false],
    [{ httpGet: livenessProbe.httpGet }, true],
    [{ ...livenessProbe, periodSeconds: 5, failureThreshold: 3 }, true],
    [{ ...livenessProbe, periodSeconds: 20, failureThreshold: 2 }, true],
    [{ ...livenessProbe, failureThreshold: 1 }, false],
    [{ ...livenessProbe, periodSeconds: 1, failureThreshold: 3 }, false],
    [{ httpGet: { ...livenessProbe.httpGet, path: '/static/icons/Hipster_Favicon.ico' } }, false],
    [{ exec: { command: ['true'] }, periodSeconds: 3600 }, false],
    [{ tcpSocket: { port: frontendPort } }, false],
    [{ tcpSocket: { port: Math.max(8080, frontendPort) + 1 }, periodSeconds: 3600 }, false],
    [undefined, false],
  ])('%j is accepted: %s', async (probe, holds) => {
    const now = withContainer(boutique, 'frontend', (container) => {
      container.livenessProbe = probe
    })
    expect(await isGone(goneCase, now)).toBe(holds)
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
  ])('%j is accepted if the former check was gRPC: %s', async (probe, holds) => {
    const now = withContainer(boutique, 'checkoutservice', (container) => {
      container.livenessProbe = probe
    })
    expect(await isGone({ ...goneCase, target: { service: 'checkoutservice' } }, now)).toBe(holds)
  })

  it.each([
    [undefined, true],
    [{ tcpSocket: { port: 8080 } }, false],
    [{ exec: { command: ['true'] } }, false],
  ])('%j is accepted if there was no probe: %s', async (probe, holds) => {
    const service = tickets.workloads.find(
      ({ podSpec }) => podSpec.containers[0]!.livenessProbe === undefined && podSpec.containers[0]!.ports,
    )!.service
    const now = withContainer(tickets, service, (container) => {
      container.livenessProbe = probe
    })
    const target = { service }
    expect(await isGone({ ...goneCase, system: tickets, target }, now)).toBe(holds)
  })
})

describe('a probe by a command', () => {
  const goneCase = {
    fault: 'readiness-never',
    system: simple,
    target: { service: 'time-service' },
    params: { way: 'port' },
  }
  const { readinessProbe } = simple.workloadOf('time-service').podSpec.containers[0]! as unknown as {
    readinessProbe: { httpGet: { path: string; port: number } }
  }
  const { path, port } = readinessProbe.httpGet
  const url = `http://localhost:${port}${path}`
  const judge = (command: readonly string[], rules?: number): Promise<boolean> =>
    isGone(
      { ...goneCase, ...defined({ rules }) },
      withContainer(simple, 'time-service', (container) => {
        container.readinessProbe = { exec: { command }, periodSeconds: 5 }
      }),
    )
  it.each([
    [['wget', '-q', '-O', '/dev/null', url], true],
    [['python3', '-c', `import urllib.request as u; u.urlopen("${url}", timeout=2)`], true],
    [['curl', '-s', url], false],
    [['curl', '-sf', `${url}/other`], false],
    [['curl', '-sf', `http://localhost:${port + 1}${path}`], false],
    [['sh', '-c', `curl -sf ${url} || true`], false],
    [['true'], false],
  ])('%j is accepted if it makes the former request: %s', async (command, holds) => {
    expect(await judge(command)).toBe(holds)
    expect(await judge(command, 6)).toBe(false)
  })
})

describe('a startup probe next to a repaired liveness probe', () => {
  const { readinessProbe, ports } = simple.workloadOf('time-service').podSpec.containers[0]! as unknown as {
    readinessProbe: { httpGet: object }
    ports: readonly { containerPort: number }[]
  }
  const tcpSocket = { port: ports[0]!.containerPort }
  it.each([
    [{ tcpSocket, periodSeconds: 2, failureThreshold: 30 }, true],
    [{ httpGet: readinessProbe.httpGet, failureThreshold: 60 }, true],
    [{ tcpSocket, periodSeconds: 1, failureThreshold: 1 }, false],
    [{ tcpSocket, periodSeconds: 3600, failureThreshold: 3 }, false],
    [{ tcpSocket, periodSeconds: 10, failureThreshold: 1000 }, false],
    [{ tcpSocket, initialDelaySeconds: 600 }, false],
    [{ tcpSocket: { port: tcpSocket.port + 1 }, failureThreshold: 30 }, false],
    [{ exec: { command: ['true'] } }, false],
  ])('%j is accepted: %s', async (startupProbe, holds) => {
    const now = withContainer(simple, 'time-service', (container) => {
      container.livenessProbe = { tcpSocket }
      container.startupProbe = startupProbe
    })
    const target = { service: 'time-service' }
    const goneCase = { fault: 'liveness-kills', system: simple, target, params: { way: 'port', period: 1 } }
    expect(await isGone(goneCase, now)).toBe(holds)
  })
})

it('a repaired readiness probe may be fast, but must tolerate as many failures as before', async () => {
  const { readinessProbe } = boutique.workloadOf('frontend').podSpec.containers[0]!
  const goneCase = {
    fault: 'readiness-never',
    system: boutique,
    target: { service: 'frontend' },
    params: { way: 'port' },
  }
  const judge = (timing: object, rules?: number): Promise<boolean> =>
    isGone(
      { ...goneCase, ...defined({ rules }) },
      withContainer(boutique, 'frontend', (container) => {
        container.readinessProbe = { ...readinessProbe, ...timing }
      }),
    )
  expect(await judge({})).toBe(true)
  expect(await judge({ periodSeconds: 1, failureThreshold: 3 })).toBe(true)
  expect(await judge({ periodSeconds: 2, failureThreshold: 1 })).toBe(false)
  expect(await judge({ periodSeconds: 2, failureThreshold: 1 }, 4)).toBe(true)
})
