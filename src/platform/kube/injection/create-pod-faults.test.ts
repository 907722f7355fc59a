/** Tests several kinds of faults on one pod, made of a network namespace and a process in a cgroup. Needs root. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createRandom, createRealClock } from '#kit'
import { createCgroups } from '#machine/linux'
import type { AppliedFault, DnsInterference, Outcome, PodFault, PodProcessView } from '#platform/kube/ports'
import { type ClosablePodFaults, createPodFaults } from './create-pod-faults.ts'
import { createTestPods, type TestPods } from './testing/create-test-pods.ts'

// Real packets are slow on a busy machine.
vi.setConfig({ testTimeout: 30_000 })

const cgroups = createCgroups()
const cgroup = `remedium-test-faults-${process.pid}`
const target = { namespace: 'shop', pod: 'web-1', uid: 'pod-0' }
const container = { ...target, container: 'web' }
const delay: PodFault = {
  type: 'network',
  target,
  effects: { delay: { latencyMs: 50, jitterMs: 0, correlation: 0 } },
}
const skew: PodFault = { type: 'time', target: container, offsetMs: 3_600_000, clocks: ['CLOCK_REALTIME'] }

let testPods: TestPods
let child: ChildProcess
let faults: ClosablePodFaults
let notifyRemoval: ((uid: string) => void) | undefined
let interferences: (DnsInterference & { ip: string })[]
let errors: Error[]

beforeEach(async () => {
  testPods = await createTestPods(2)
  cgroups.create(cgroup)
  const program = `process.stdin.on('data', () => console.log(Date.now()))`
  child = spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'pipe', 'inherit'] })
  cgroups.join(cgroup, child.pid!)
  const view: PodProcessView = {
    ...testPods.pods[0]!.view,
    containers: [{ name: 'web', id: 'containerd://1', pid: child.pid!, cgroup }],
  }
  interferences = []
  errors = []
  faults = createPodFaults({
    processes: {
      find: (uid) => (uid === view.uid ? view : undefined),
      onRemoval(listener) {
        notifyRemoval = listener
        return () => {
          notifyRemoval = undefined
        }
      },
    },
    dns: {
      interfere(ip, rule) {
        const entry = { ip, ...rule }
        interferences.push(entry)
        return () => {
          interferences = interferences.filter((candidate) => candidate !== entry)
        }
      },
    },
    clock: createRealClock(),
    random: createRandom('faults'),
    folder: '/nowhere/faults',
    marker: { REMEDIUM_CLUSTER: '/nowhere/faults' },
    onError: (error) => errors.push(error),
  })
})

afterEach(async () => {
  await faults.close()
  child.kill('SIGKILL')
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  for (let tries = 0; !cgroups.remove(cgroup) && tries < 50; tries += 1) await pause(20)
  testPods.close()
  expect(errors).toEqual([])
})

const apply = async (fault: PodFault): Promise<() => Promise<void>> => {
  const applied = await new Promise<Outcome<AppliedFault>>((reply) => faults.apply(fault, reply))
  if (!applied.ok) throw applied.error
  return async () => {
    const outcome = await new Promise<Outcome<void>>((reply) => applied.value.recover(reply))
    if (!outcome.ok) throw outcome.error
  }
}

const measureRoundTripMs = async (): Promise<number> => {
  const [a, b] = testPods.pods
  const text = await a!.run('ping', '-q', '-i', '0.01', '-c', '5', b!.ip)
  return Number(/= ([\d.]+)\//.exec(text)![1])
}
const readHoursAhead = async (): Promise<number> => {
  child.stdin!.write('?')
  const [line] = await once(createInterface(child.stdout!), 'line')
  return Math.round((Number(line) - Date.now()) / 3_600_000) + 0
}
const countThreads = (): number => readdirSync('/proc/self/task').length

describe('faults on a pod', () => {
  it('act independently until they are recovered', async () => {
    const undoDelay = await apply(delay)
    const undoSkew = await apply(skew)
    const undoDns = await apply({ type: 'dns', target, action: 'error', patterns: ['*.shop'] })
    expect(await measureRoundTripMs()).toBeGreaterThanOrEqual(50)
    expect(await readHoursAhead()).toBe(1)
    expect(interferences).toEqual([{ ip: '10.244.0.2', action: 'error', patterns: ['*.shop'] }])
    await undoDns()
    await undoDelay()
    expect(interferences).toEqual([])
    expect(await measureRoundTripMs()).toBeLessThan(5)
    expect(await readHoursAhead()).toBe(1)
    await undoSkew()
    expect(await readHoursAhead()).toBe(0)
  })

  it('are all recovered on close, and the packet thread ends', async () => {
    await apply(skew)
    const before = countThreads()
    await apply(delay)
    await apply({ type: 'network', target, cut: 'incoming', peers: ['10.9.9.9/32'] })
    expect(countThreads()).toBeGreaterThan(before)
    await faults.close()
    expect(countThreads()).toBe(before)
    expect(await measureRoundTripMs()).toBeLessThan(5)
    expect(await readHoursAhead()).toBe(0)
    expect(await testPods.pods[0]!.run('iptables-save')).not.toContain('POL-')
  })

  it('are dropped when their pod is removed', async () => {
    const undoDelay = await apply(delay)
    const undoSkew = await apply(skew)
    const before = countThreads()
    notifyRemoval!(target.uid)
    child.kill('SIGKILL')
    await undoDelay()
    await undoSkew()
    await pause(50)
    expect(countThreads()).toBeLessThan(before)
  })

  it('kill a container, which cannot be undone', async () => {
    const undo = await apply({ type: 'kill', target: container })
    await once(child, 'exit')
    expect(child.signalCode).toBe('SIGKILL')
    await undo()
  })

  it('are rejected if the container is not running', async () => {
    await expect(apply({ ...skew, target: { ...target, container: 'db' } } as PodFault)).rejects.toThrow(
      'container db of pod shop/web-1 is not running',
    )
  })
})
