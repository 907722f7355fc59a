/** Tests shifted clocks of real processes. Needs root. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createRealClock } from '#kit'
import { createCgroups } from '#machine/linux'
import type { PodProcessView, TimeFault } from '#platform/kube/ports'
import { createTimeFaults } from './create-time-faults.ts'

// Real processes are slow on a busy machine.
vi.setConfig({ testTimeout: 30_000 })

const cgroups = createCgroups()
const group = `remedium-test-time-${process.pid}`
const children: ChildProcess[] = []
const errors: Error[] = []
const recoveries: (() => Promise<void>)[] = []
const applyFault = createTimeFaults({
  cgroups,
  clock: createRealClock(),
  onError: (error) => errors.push(error),
})
const apply: typeof applyFault = async (...args) => {
  const recover = await applyFault(...args)
  recoveries.push(recover)
  return recover
}

afterEach(async () => {
  for (const recover of recoveries.splice(0)) await recover()
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  for (let tries = 0; !cgroups.remove(group) && tries < 50; tries += 1) {
    cgroups.kill(group)
    await pause(20)
  }
  expect(errors.splice(0)).toEqual([])
})

/** Starts a program in the container that prints its clocks for every input line. */
const start = (program: string, ...args: string[]) => {
  cgroups.create(group)
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  children.push(child)
  cgroups.join(group, child.pid!)
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const readClocks = async (): Promise<number[]> => {
    child.stdin.write('?\n')
    const { value, done } = await lines.next()
    if (done) throw new Error(`${program} has ended`)
    return String(value).split(' ').map(Number)
  }
  return { child, readClocks }
}

const NODE = `process.stdin.on('data', () => console.log(Date.now(), performance.now()))`
const PYTHON = `
import sys, time
for line in sys.stdin:
    print(time.time() * 1000, time.monotonic() * 1000, time.clock_gettime(5) * 1000, flush=True)`
const startNode = () => start(process.execPath, '-e', NODE)
const startPython = () => start('python3', '-c', PYTHON)

const view: PodProcessView = {
  uid: 'u',
  ip: '10.244.0.2',
  nodeName: 'node',
  networkNamespacePath: '',
  containers: [{ name: 'web', id: 'containerd://1', pid: 1, cgroup: group }],
}
const createFault = (offsetMs: number, ...clocks: string[]): TimeFault => ({
  type: 'time',
  target: { namespace: 'default', pod: 'p', uid: 'u', container: 'web' },
  offsetMs,
  clocks: clocks.length > 0 ? clocks : ['CLOCK_REALTIME'],
})
const MINUTE = 60_000
/** The offset of a reported time from the real time. */
const offsetOf = (time: number | undefined): number => Math.round((time! - Date.now()) / 100) * 100 + 0

describe('a time fault', () => {
  it.each([-10 * MINUTE, 60 * MINUTE, -0.5, -1500])(
    'shifts the clocks of Node and Python by %d ms until it is recovered',
    async (offset) => {
      const [node, python] = [startNode(), startPython()]
      const [, nodeBefore] = await node.readClocks()
      const [, pythonBefore] = await python.readClocks()
      const recover = await apply(createFault(offset), view)
      const [nodeTime, nodeElapsed] = await node.readClocks()
      const [pythonTime, pythonMonotonic, coarse] = await python.readClocks()
      for (const time of [nodeTime, pythonTime, coarse])
        expect(Math.abs(time! - Date.now() - offset)).toBeLessThan(100)
      expect(nodeElapsed! - nodeBefore!).toBeLessThan(2000)
      expect(pythonMonotonic! - pythonBefore!).toBeLessThan(2000)
      await recover()
      expect(offsetOf((await node.readClocks())[0])).toBe(0)
      expect(offsetOf((await python.readClocks())[0])).toBe(0)
    },
  )

  it('does not stop jobs of a shell on a terminal', async () => {
    cgroups.create(group)
    // The program waits until it is in the group, because processes forked earlier would stay outside.
    const program = `input(); import pty; pty.spawn(['bash', '--norc', '--noprofile', '-i'])`
    const child = spawn('python3', ['-uc', program], { stdio: ['pipe', 'pipe', 'inherit'] })
    children.push(child)
    cgroups.join(group, child.pid!)
    child.stdin.write('go\n')
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    const recover = await apply(createFault(MINUTE), view)
    await expect.poll(() => output, { timeout: 10_000 }).toMatch(/[#$] /)
    child.stdin.write('sleep 1.5; echo over-$((20 + 3))\n')
    await expect.poll(() => output, { timeout: 10_000 }).toContain('over-23')
    await recover()
    expect(output).not.toContain('Stopped')
  })

  it('carries nanoseconds into seconds correctly', async () => {
    const python = start(
      'python3',
      '-c',
      `
import sys, time
for line in sys.stdin:
    differences = [time.time_ns() - time.monotonic_ns() for _ in range(200000)]
    median = sorted(differences)[100000]
    print(median / 1e6, sum(abs(each - median) > 500e6 for each in differences), flush=True)`,
    )
    const [before] = await python.readClocks()
    const recover = await apply(createFault(-300.25), view)
    const [median, outliers] = await python.readClocks()
    expect(median! - before!).toBeGreaterThan(-301)
    expect(median! - before!).toBeLessThan(-299.5)
    // A busy machine may occasionally preempt the process between the two readings.
    expect(outliers).toBeLessThan(5)
    await recover()
  })

  it('shifts the clock of a running shell', async () => {
    const script = 'while read line; do printf "%(%s)T000\\n" -1; done'
    const shell = start('bash', '-c', script)
    await shell.readClocks()
    const recover = await apply(createFault(-10 * MINUTE), view)
    const [time] = await shell.readClocks()
    expect(Math.abs(time! - Date.now() + 10 * MINUTE)).toBeLessThan(1500)
    await recover()
    expect(Math.abs((await shell.readClocks())[0]! - Date.now())).toBeLessThan(1500)
  })

  it('affects processes that start later or execute another program', async () => {
    const shell = start('bash', '-c', `read line; echo 0; read line; exec python3 -c "$0"`, PYTHON)
    await shell.readClocks()
    const recover = await apply(createFault(60 * MINUTE), view)
    const late = startPython()
    shell.child.stdin.write('?\n')
    await pause(700)
    expect(offsetOf((await late.readClocks())[0])).toBe(60 * MINUTE)
    expect(offsetOf((await shell.readClocks())[0])).toBe(60 * MINUTE)
    await recover()
    expect(offsetOf((await late.readClocks())[0])).toBe(0)
    expect(offsetOf((await shell.readClocks())[0])).toBe(0)
  })

  it('is inherited by forked processes, which recover as well', async () => {
    const forking = start(
      'python3',
      '-c',
      `
import os, sys, time
sys.stdin.readline()
print(0, flush=True)
sys.stdin.readline()
if os.fork(): time.sleep(60)
print(time.time() * 1000, flush=True)
for line in sys.stdin: print(time.time() * 1000, flush=True)`,
    )
    await forking.readClocks()
    const recover = await apply(createFault(60 * MINUTE), view)
    expect(offsetOf((await forking.readClocks())[0])).toBe(60 * MINUTE)
    await recover()
    expect(offsetOf((await forking.readClocks())[0])).toBe(0)
  })

  it('adds its offset to that of another fault on the same clock', async () => {
    const python = startPython()
    const [, before] = await python.readClocks()
    const recoverBoth = await apply(createFault(MINUTE, 'CLOCK_REALTIME', 'CLOCK_MONOTONIC'), view)
    const recoverRealtime = await apply(createFault(MINUTE), view)
    const [time, monotonic] = await python.readClocks()
    expect(offsetOf(time)).toBe(2 * MINUTE)
    expect(monotonic! - before!).toBeGreaterThanOrEqual(MINUTE)
    expect(monotonic! - before!).toBeLessThan(MINUTE + 5000)
    await recoverBoth()
    expect(offsetOf((await python.readClocks())[0])).toBe(MINUTE)
    await recoverRealtime()
    expect(offsetOf((await python.readClocks())[0])).toBe(0)
  })

  it('does not crash processes that read the time continuously', async () => {
    const spin = `let calls = 0
      const spin = () => {
        for (let i = 0; i < 20000; i++) { Date.now(); performance.now(); calls++ }
        setImmediate(spin)
      }
      spin()`
    const busy = start(
      process.execPath,
      '-e',
      `const code = ${JSON.stringify(spin)}
       new (require('node:worker_threads').Worker)(code, { eval: true })
       ${spin}
       process.stdin.on('data', () => console.log(calls))`,
    )
    const [before] = await busy.readClocks()
    for (let round = 0; round < 40; round += 1) await (await apply(createFault(MINUTE), view))()
    const [after] = await busy.readClocks()
    expect(after! - before!).toBeGreaterThan(1000)
    expect(busy.child.exitCode).toBeNull()
  })

  it('keeps a stopped process stopped', async () => {
    const python = startPython()
    await python.readClocks()
    python.child.kill('SIGSTOP')
    await pause(50)
    const recover = await apply(createFault(MINUTE), view)
    expect(readFileSync(`/proc/${python.child.pid}/stat`, 'utf8')).toContain(') T ')
    python.child.kill('SIGCONT')
    expect(offsetOf((await python.readClocks())[0])).toBe(MINUTE)
    await recover()
  })

  it('can be recovered after the container has ended', async () => {
    const python = startPython()
    await python.readClocks()
    const recover = await apply(createFault(MINUTE), view)
    python.child.kill('SIGKILL')
    await once(python.child, 'exit')
    await recover()
  })

  it('is rejected if the clock or the container is unknown', async () => {
    await expect(apply(createFault(1, 'CLOCK_UNKNOWN'), view)).rejects.toThrow('not CLOCK_UNKNOWN')
    await expect(apply(createFault(1), { ...view, containers: [] })).rejects.toThrow(
      'container web of pod default/p is not running',
    )
  })
})
