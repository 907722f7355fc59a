/** Needs root: tests system calls in other processes. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readlinkSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { createTracedProcess, type TracedProcess } from './index.ts'

const AT_FDCWD = -100
const children: ReturnType<typeof spawn>[] = []
const startProcess = async (program: string, ...args: string[]) => {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  children.push(child)
  await once(child, 'spawn')
  return { child, pid: child.pid! }
}
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

const withTracedProcess = (pid: number, task: (traced: TracedProcess) => void): void => {
  const traced = createTracedProcess(pid)
  try {
    task(traced)
  } finally {
    traced.resume()
  }
}

describe('a traced process', () => {
  it('makes system calls', async () => {
    const { child, pid } = await startProcess('sh', '-c', 'read line; pwd -P; read line; exit 7')
    withTracedProcess(pid, ({ call }) => {
      expect(call('chdir', '/usr')).toBe(0n)
      const fd = call('openat', AT_FDCWD, 'lib', 0, 0)
      expect(readlinkSync(`/proc/${pid}/fd/${fd}`)).toBe('/usr/lib')
      expect(call('close', fd)).toBe(0n)
      expect(call('openat', AT_FDCWD, '/nowhere', 0, 0)).toBe(-2n)
    })
    // The process was waiting in `read`, which continues.
    child.stdin!.write('\n')
    expect(String((await once(child.stdout!, 'data'))[0])).toBe('/usr\n')
    child.stdin!.write('\n')
    expect((await once(child, 'close'))[0]).toBe(7)
  })

  it('keeps its signals, threads and state while it is stopped repeatedly', async () => {
    const script = `let count = 0; process.on('SIGUSR1', () => { count += 1; console.log(count) })
      setInterval(() => {}, 1); console.log('ready')`
    const { child, pid } = await startProcess(process.execPath, '-e', script)
    await once(child.stdout!, 'data')
    for (let round = 1; round <= 20; round += 1) {
      const output = once(child.stdout!, 'data')
      withTracedProcess(pid, ({ call }) => {
        process.kill(pid, 'SIGUSR1')
        expect(call('openat', AT_FDCWD, '/nowhere', 0, 0)).toBe(-2n)
      })
      expect(String((await output)[0])).toBe(`${round}\n`)
    }
  })

  it('does not lose a signal that arrives during the stop', async () => {
    const script = `process.on('SIGUSR1', () => console.log('heard')); setInterval(() => {}, 1); console.log('ready')`
    const { child, pid } = await startProcess(process.execPath, '-e', script)
    await once(child.stdout!, 'data')
    for (let round = 0; round < 100; round += 1) {
      const output = once(child.stdout!, 'data')
      process.kill(pid, 'SIGUSR1')
      withTracedProcess(pid, ({ call }) => expect(call('openat', AT_FDCWD, '/nowhere', 0, 0)).toBe(-2n))
      expect(String((await output)[0])).toBe('heard\n')
    }
  })

  it('can start and end threads while it is stopped repeatedly', async () => {
    const script = `const { Worker } = require('worker_threads')
      const spin = () => new Worker('', { eval: true }).on('exit', spin)
      for (let i = 0; i < 4; i++) spin()
      console.log('ready')`
    const { child, pid } = await startProcess(process.execPath, '-e', script)
    await once(child.stdout!, 'data')
    for (let round = 0; round < 40; round += 1) {
      withTracedProcess(pid, ({ call }) => expect(call('openat', AT_FDCWD, '/nowhere', 0, 0)).toBe(-2n))
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    expect(child.exitCode).toBeNull()
  }, 30_000)

  it('is rejected if the process has ended', () => {
    expect(() => createTracedProcess(2 ** 22)).toThrow('ENOENT')
  })
})
