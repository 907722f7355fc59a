/** Tests stress faults and kill faults in real control groups. Needs root. */
import { type ChildProcess, spawn } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRealClock, sleep } from '#kit'
import { createCgroups, findHierarchies } from '#machine/linux'
import type { PodProcessView, StressFault } from '#platform/kube/ports'
import { createKillFaults } from '../kill/create-kill-faults.ts'
import { createStressFaults } from './create-stress-faults.ts'
import { isStressor } from './is-stressor.ts'
import { stateOf } from './process-family.ts'

const MEBIBYTE = 2 ** 20
const clock = createRealClock()
const cgroups = createCgroups()
const marker = { REMEDIUM_CLUSTER: `/nowhere/stress-test-${process.pid}` }
const stress = createStressFaults({ cgroups, marker, clock })

let cgroup: string
let container: ChildProcess
let view: PodProcessView

const limitMemory = (bytes: number): void => {
  const file = cgroups.version === 2 ? 'memory.max' : 'memory.limit_in_bytes'
  writeFileSync(join(findHierarchies().folderOf('memory'), cgroup, file), String(bytes))
}

/** The IDs of the running processes that stress faults have started. */
const markedProcesses = (): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(marker.REMEDIUM_CLUSTER)
      } catch {
        return false
      }
    })

beforeEach(() => {
  cgroup = `remedium-test-${process.pid}/stress-${clock.now()}`
  cgroups.create(cgroup)
  // The program waits until it is in the group, because processes forked earlier would stay outside.
  container = spawn('sh', ['-c', 'read -r go && exec unshare --pid --net --fork --kill-child sleep 600'], {
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  cgroups.join(cgroup, container.pid!)
  container.stdin?.end('go\n')
})

/** Waits for `sleep`, which acts as the first process of a container. */
const waitForFirstProcess = async (): Promise<number> => {
  for (;;) {
    const found = cgroups.pids(cgroup).find((pid) => {
      try {
        return pid !== container.pid && readFileSync(`/proc/${pid}/comm`, 'utf8') === 'sleep\n'
      } catch {
        return false
      }
    })
    if (found !== undefined) return found
    await sleep(clock, 5)
  }
}

beforeEach(async () => {
  const pid = await waitForFirstProcess()
  view = {
    uid: 'u',
    ip: '',
    nodeName: 'n',
    networkNamespacePath: '',
    containers: [{ name: 'c', id: 'i', pid, cgroup }],
  }
})

afterEach(async () => {
  for (let round = 0; round < 200 && !cgroups.remove(cgroup); round += 1) {
    cgroups.kill(cgroup)
    await sleep(clock, 10)
  }
  cgroups.remove(`remedium-test-${process.pid}`)
  expect(markedProcesses()).toEqual([])
})

const target = { namespace: 'default', pod: 'p', uid: 'u', container: 'c' }
const stressFault = (rest: Partial<StressFault>): StressFault => ({ type: 'stress', target, ...rest })

/** Returns the average number of cores used over `milliseconds`. */
const coresUsedOver = async (milliseconds: number): Promise<number> => {
  const [cpu, from] = [cgroups.usage(cgroup).cpuMs, performance.now()]
  await sleep(clock, milliseconds)
  return (cgroups.usage(cgroup).cpuMs - cpu) / (performance.now() - from)
}

describe('CPU stress', () => {
  it('uses the whole CPU limit until it is recovered', async () => {
    cgroups.limitCpu(cgroup, { cores: 0.2 })
    const recover = await stress(stressFault({ cpu: { workers: 2, load: 100 } }), view)
    await sleep(clock, 300)
    const cores = await coresUsedOver(3000)
    expect(cores).toBeGreaterThan(0.18)
    expect(cores).toBeLessThan(0.22)
    const from = performance.now()
    await recover()
    expect(performance.now() - from).toBeLessThan(500)
    expect(markedProcesses()).toEqual([])
    expect(await coresUsedOver(300)).toBeLessThan(0.01)
    expect(cgroups.pids(cgroup)).toHaveLength(2)
  }, 20_000)

  it('runs among the processes of the container and ends with them', async () => {
    await stress(stressFault({ cpu: { workers: 1, load: 10 } }), view)
    const namespacedPids = (pid: string | number): string =>
      readFileSync(`/proc/${pid}/status`, 'utf8').match(/NSpid:.*/)?.[0] ?? ''
    const inside = markedProcesses().filter((pid) => namespacedPids(pid).split('\t').length === 3)
    expect(inside.length).toBeGreaterThanOrEqual(2)
    const isOfStressor = (pid: string | number): boolean => isStressor(stateOf(Number(pid))!.session)
    expect(inside.every(isOfStressor)).toBe(true)
    expect(isOfStressor(view.containers[0]!.pid)).toBe(false)
    process.kill(view.containers[0]!.pid, 'SIGKILL')
    await expect.poll(markedProcesses, { timeout: 5000 }).toEqual([])
  })
})

describe('memory stress', () => {
  it('allocates the given size and frees it', async () => {
    const before = cgroups.usage(cgroup).memory
    const recover = await stress(
      stressFault({ memory: { workers: 2, bytes: 40 * MEBIBYTE, growMs: 0, oomScoreAdj: 0 } }),
      view,
    )
    const allocatedMebibytes = (): number => (cgroups.usage(cgroup).memory - before) / MEBIBYTE
    await expect.poll(allocatedMebibytes).toBeGreaterThan(80)
    await sleep(clock, 200)
    // Each process has a small overhead.
    expect(allocatedMebibytes()).toBeLessThan(110)
    // The program keeps using the memory, which costs CPU time.
    expect(await coresUsedOver(200)).toBeGreaterThan(0.1)
    await recover()
    expect((cgroups.usage(cgroup).memory - before) / MEBIBYTE).toBeLessThan(10)
  })

  it('grows evenly over the given time', async () => {
    await stress(
      stressFault({ memory: { workers: 1, bytes: 60 * MEBIBYTE, growMs: 1500, oomScoreAdj: 0 } }),
      view,
    )
    await sleep(clock, 750)
    const halfway = cgroups.usage(cgroup).memory / MEBIBYTE
    expect(halfway).toBeGreaterThan(20)
    expect(halfway).toBeLessThan(50)
    await sleep(clock, 1200)
    expect(cgroups.usage(cgroup).memory / MEBIBYTE).toBeGreaterThan(60)
  })

  it.each([
    ['by the memory program', { memory: { workers: 1, bytes: 200 * MEBIBYTE, growMs: 0, oomScoreAdj: 0 } }],
    ['by stress-ng', { arguments: ['--vm', '1', '--vm-bytes', '200M', '--vm-keep'] }],
  ])('%s above the limit is OOM-killed and not restarted', async (_, rest) => {
    expect(cgroups.memoryLimit(cgroup)).toBe(Number.POSITIVE_INFINITY)
    limitMemory(48 * MEBIBYTE)
    expect(cgroups.memoryLimit(cgroup)).toBe(48 * MEBIBYTE)
    const recover = await stress(stressFault(rest), view)
    await expect.poll(() => cgroups.usage(cgroup).oomKills, { interval: 20 }).toBeGreaterThan(0)
    await expect.poll(markedProcesses).toEqual([])
    const { oomKills } = cgroups.usage(cgroup)
    await sleep(clock, 300)
    expect(cgroups.usage(cgroup).oomKills).toBe(oomKills)
    await recover()
  })
})

describe('a program with untrusted arguments', () => {
  const folder = join(tmpdir(), `stress-host-${process.pid}`)
  beforeEach(() => mkdirSync(folder))
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it('has no access to files of the host', async () => {
    const [secret, created] = [join(folder, 'secret'), join(folder, 'made')]
    writeFileSync(secret, 'swordfish\n', { mode: 0o644 })
    const written = stress(stressFault({ arguments: ['--cpu', '1', '--log-file', created] }), view)
    await (await written.catch(() => async () => {}))()
    expect(existsSync(created)).toBe(false)
    const read = stress(stressFault({ arguments: ['--job', secret] }), view)
    await expect(read).rejects.toThrow(/^(?!.*swordfish)/s)
  })

  it('runs as the user nobody, without capabilities, in the network of the container', async () => {
    const recover = await stress(stressFault({ arguments: ['--cpu', '1', '--cpu-load', '1'] }), view)
    const statuses = markedProcesses()
      .map((pid) => ({ pid, text: readFileSync(`/proc/${pid}/status`, 'utf8') }))
      .filter(({ text }) => text.startsWith('Name:\tstress-ng'))
    expect(statuses.length).toBeGreaterThan(1)
    const network = readlinkSync(`/proc/${view.containers[0]!.pid}/ns/net`)
    for (const { pid, text } of statuses) {
      expect(text).toMatch(/^Uid:\t65534\t65534\t65534\t65534$/m)
      expect(text).toMatch(/^CapBnd:\t0+$/m)
      expect(text).toMatch(/^NoNewPrivs:\t1$/m)
      expect(readlinkSync(`/proc/${pid}/ns/net`)).toBe(network)
    }
    await recover()
  })

  it('cannot write to /proc, through which a solver in its root could reach the memory of the main process', async () => {
    const recover = await stress(stressFault({ arguments: ['--cpu', '1', '--cpu-load', '1'] }), view)
    const mounts = markedProcesses()
      .filter((pid) => readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('stress-ng'))
      .map((pid) => readFileSync(`/proc/${pid}/mountinfo`, 'utf8').match(/^.* \/proc .*$/m)?.[0])
    expect(mounts.length).toBeGreaterThan(0)
    for (const mount of mounts) expect(mount).toMatch(/ \/proc ro,/)
    await recover()
  })
})

describe('an error', () => {
  it('is reported in one sentence', async () => {
    await expect(stress(stressFault({ arguments: ['--no-such-option'] }), view)).rejects.toThrow(
      /^stress-ng ended with 1: .*no-such-option/,
    )
    const unknownContainer = stressFault({
      cpu: { workers: 1, load: 1 },
      target: { ...target, container: 'x' },
    })
    await expect(stress(unknownContainer, view)).rejects.toThrow(
      'container x of pod default/p is not running',
    )
  })
})

describe('a kill fault', () => {
  it('kills the first process of the container', async () => {
    const ended = new Promise((resolve) => container.once('exit', resolve))
    const recover = await createKillFaults()({ type: 'kill', target }, view)
    await ended
    await recover()
    expect(cgroups.pids(cgroup)).toEqual([])
  })
})
