/** Tests MicroRemed's check: the commands that it runs in pods, and how long it waits. */
import { describe, expect, it } from 'vitest'
import type { ApiObject, ExecOutcome, FaultCategory, KubeApi } from '#spec'
import { checkFault } from './check-fault.ts'

const PING =
  '3 packets transmitted, 3 received, 0% packet loss, time 2031ms\nrtt min/avg/max/mdev = 0.080/0.108/0.147/0.028 ms'
const BUSYBOX_PING =
  '3 packets transmitted, 3 packets received, 0% packet loss\nround-trip min/avg/max = 0.080/0.108/0.147 ms'
const DD_OUTPUT = '10485760 bytes (10 MB, 10 MiB) copied, 0.00789479 s, 1.3 GB/s'

interface FakePod {
  /** The seconds after which the pod is ready; 0 by default. */
  readonly readyAfter?: number
  /** Returns the CPU usage in millicores at a time in seconds. */
  readonly cpuAt?: (second: number) => number
  /** The memory usage in MiB. */
  readonly memory?: number
  exec?(command: readonly string[], container: string): ExecOutcome | undefined
}

const container = (name: string) => ({ name, resources: { limits: { cpu: '500m', memory: '2000Mi' } } })

/** Checks a target with one pod. Time advances only in `sleep`. */
const check = async (type: FaultCategory, fakePod: FakePod) => {
  let now = 0
  const commands: string[] = []
  const pod = (): ApiObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'cart-1' },
    spec: { containers: [container('server'), container('sidecar-busybox')] },
    status: {
      phase: 'Running',
      hostIP: '172.18.0.3',
      conditions: [{ type: 'Ready', status: now >= (fakePod.readyAfter ?? 0) * 1000 ? 'True' : 'False' }],
    },
  })
  const metrics = (): ApiObject => ({
    apiVersion: 'metrics.k8s.io/v1beta1',
    kind: 'PodMetrics',
    metadata: { name: 'cart-1' },
    containers: [
      {
        name: 'server',
        usage: { cpu: `${fakePod.cpuAt?.(now / 1000) ?? 10}m`, memory: `${fakePod.memory ?? 10}Mi` },
      },
    ],
  })
  const api: Partial<KubeApi> = {
    async list({ apiVersion, namespace }, options) {
      expect([namespace, options]).toEqual(['shop', { labelSelector: 'app=cart' }])
      return { items: [apiVersion === 'v1' ? pod() : metrics()], resourceVersion: '1' }
    },
    async exec({ name }, command, { container = '' } = {}) {
      commands.push(`${name}/${container} ${command.join(' ')}`)
      const outcome = fakePod.exec?.(command, container)
      if (outcome === undefined) throw new Error('no such container')
      return outcome
    },
  }
  const finding = await checkFault({
    api: api as KubeApi,
    namespace: 'shop',
    service: 'cart',
    type,
    time: {
      precise: () => now,
      async sleep(ms) {
        now += ms
      },
      after: () => ({ cancel() {} }),
    },
    throwIfFailed() {},
  })
  return { ...finding, commands, seconds: now / 1000 }
}

const toOutcome = (stdout: string, exitCode = 0): ExecOutcome => ({ stdout, stderr: '', exitCode })

describe('the check', () => {
  it('ends with the first round that passes', async () => {
    expect(await check('cpu-stress', { cpuAt: (second) => (second < 9 ? 500 : 20) })).toMatchObject({
      holds: true,
      seconds: 10,
    })
  })

  it('takes at most 30 s for CPU and readiness, and 10 s for memory', async () => {
    expect(await check('cpu-stress', { cpuAt: () => 500 })).toMatchObject({ holds: false, seconds: 28 })
    expect(await check('pod-fail', { readyAfter: 60 })).toMatchObject({ holds: false, seconds: 28 })
    expect(await check('memory-stress', { memory: 1280 })).toMatchObject({ holds: false, seconds: 8 })
  })

  it('waits for ready pods, but applies the rule even if they are not ready in time', async () => {
    expect(await check('memory-stress', { readyAfter: 5 })).toMatchObject({ holds: true, seconds: 6 })
    expect(await check('memory-stress', { readyAfter: 60 })).toMatchObject({ holds: true, seconds: 28 })
  })

  it('ends at once if the laboratory has failed', async () => {
    const throwIfFailed = (): void => {
      throw new Error('the cluster is lost')
    }
    const time = { precise: () => 0, sleep: async () => {}, after: () => ({ cancel() {} }) }
    const options = { api: {} as KubeApi, namespace: 'shop', service: 'cart', type: 'pod-fail' } as const
    await expect(checkFault({ ...options, time, throwIfFailed })).rejects.toThrow('is lost')
  })
})

describe('pod-config-error', () => {
  it('passes only if both CPU and memory pass', async () => {
    expect(await check('pod-config-error', {})).toMatchObject({ holds: true })
    expect(await check('pod-config-error', { memory: 1900 })).toMatchObject({
      holds: false,
      evidence: 'cart-1/server uses 1900 of 2000 MiB of memory',
    })
    expect(await check('pod-config-error', { cpuAt: () => 400 })).toMatchObject({
      holds: false,
      evidence: 'cart-1/server uses 400m of 500m CPU',
      seconds: 8,
    })
  })
})

describe('a probe', () => {
  it('pings the node of the pod', async () => {
    const { holds, commands } = await check('network-delay', { exec: () => toOutcome(PING) })
    expect(holds).toBe(true)
    expect(commands).toEqual(['cart-1/server ping -c 3 -W 2 172.18.0.3'])
  })

  it('uses the sidecar if the first container has no ping', async () => {
    const { holds, commands } = await check('network-loss', {
      exec: (_, container) => (container === 'server' ? toOutcome('', 126) : toOutcome(BUSYBOX_PING)),
    })
    expect(holds).toBe(true)
    expect(commands.at(-1)).toBe('cart-1/sidecar-busybox ping -c 3 -W 2 172.18.0.3')
  })

  it('fails if pings are lost or cannot be sent', async () => {
    const lost = '3 packets transmitted, 2 received, 33.3333% packet loss, time 2003ms'
    expect(await check('network-loss', { exec: () => toOutcome(lost, 0) })).toMatchObject({
      holds: false,
      evidence: 'cart-1 loses 33.3333 % of its pings',
    })
    expect(await check('network-loss', {})).toMatchObject({
      holds: false,
      evidence: 'cart-1 could not ping its node',
    })
  })

  it('writes 10 MiB to the log folder and removes them', async () => {
    const { holds, commands } = await check('disk-io', {
      exec: ([program]) =>
        program === 'dd' ? { stdout: '', stderr: DD_OUTPUT, exitCode: 0 } : toOutcome(''),
    })
    expect(holds).toBe(true)
    expect(commands).toEqual([
      expect.stringMatching(/^cart-1\/server dd .*of=\/var\/log\/mysql\/(\S+) bs=1M count=10 oflag=direct$/),
      expect.stringMatching(/^cart-1\/server rm -f \/var\/log\/mysql\//),
    ])
    const slow = DD_OUTPUT.replace('0.00789479', '5.2')
    expect(await check('disk-io', { exec: () => toOutcome(slow) })).toMatchObject({ holds: false })
  })
})
