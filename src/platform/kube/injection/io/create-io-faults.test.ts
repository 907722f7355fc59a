/** Tests faults on the files of real containers. Needs root, runc and /dev/fuse. */
import { once } from 'node:events'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { createRandom, createRealClock } from '#kit'
import type { IoFault } from '#platform/kube/ports'
import { createIoFaults } from './create-io-faults.ts'
import { createTestContainer, type TestContainer } from './testing/create-test-container.ts'
import { createVolumeServer } from './volume-server.ts'

// Containers are slow on a busy machine.
vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 })

const marker = { REMEDIUM_CLUSTER: `/io-test-${process.pid}` }
const folder = mkdtempSync(join(tmpdir(), 'remedium-io-'))
const errors: Error[] = []
const apply = createIoFaults({
  folder,
  marker,
  clock: createRealClock(),
  random: createRandom('io'),
  onError: (error) => errors.push(error),
})

const fixtures: { container: TestContainer; recoveries: (() => Promise<void>)[] }[] = []
const startContainer = () => {
  const fixture = { container: createTestContainer(), recoveries: [] as (() => Promise<void>)[] }
  fixtures.push(fixture)
  return fixture.container
}
afterEach(async () => {
  for (const { container, recoveries } of fixtures.splice(0)) {
    for (const recover of recoveries) await recover()
    container.remove()
  }
  errors.splice(0)
})

afterAll(() => rmSync(folder, { recursive: true }))

const inject = async (
  container: TestContainer,
  effect: IoFault['effect'],
  overrides: Partial<Omit<IoFault, 'effect'>> = {},
): Promise<() => Promise<void>> => {
  const target = { namespace: 'default', pod: 'p', uid: 'u1', container: 'app' }
  const recover = await apply(
    { type: 'io', target, volumePath: '/data', percent: 100, effect, ...overrides },
    container.view,
  )
  fixtures.find((each) => each.container === container)?.recoveries.push(recover)
  return recover
}

/** Returns the pids of the helper programs that are still running. */
const runningPrograms = (): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        const environment = readFileSync(`/proc/${name}/environ`, 'utf8')
        return environment.includes(`REMEDIUM_CLUSTER=${marker.REMEDIUM_CLUSTER}`)
      } catch {
        return false
      }
    })
    .map(Number)

const durationOf = async (task: () => Promise<unknown>): Promise<number> => {
  const start = performance.now()
  await task()
  return performance.now() - start
}

const run = async (container: TestContainer, script: string): Promise<string> => {
  const { exitCode, stdout, stderr } = await container.run(`import fs from 'node:fs'; ${script}`)
  expect(stderr).toBe('')
  expect(exitCode).toBe(0)
  return stdout.trim()
}

const TIMED = `const timed = (task) => { const s = performance.now(); task(); return performance.now() - s };`

describe('latency', () => {
  it('affects only the given methods and files', async () => {
    const container = startContainer()
    const slowFiles = { methods: ['write'], path: '/data/slow/**/*' }
    await inject(container, { kind: 'latency', delayMs: 300 }, slowFiles)
    const out = await run(
      container,
      `${TIMED} fs.mkdirSync('/data/slow/deep', { recursive: true })
      console.log(JSON.stringify([
        timed(() => fs.writeFileSync('/data/slow/a', 'x')), timed(() => fs.writeFileSync('/data/slow/deep/b', 'x')),
        timed(() => fs.readFileSync('/data/slow/a')), timed(() => fs.writeFileSync('/data/c', 'x')),
        timed(() => fs.writeFileSync('/dev/d', 'x')),
      ]))`,
    )
    const [a, b, ...unaffected] = JSON.parse(out) as number[]
    for (const slow of [a!, b!]) {
      expect(slow).toBeGreaterThanOrEqual(299)
      expect(slow).toBeLessThan(600)
    }
    for (const duration of unaffected) expect(duration).toBeLessThan(290)
    expect(readFileSync(join(container.volume, 'slow/deep/b'), 'utf8')).toBe('x')
  })

  it('affects half of the writes at 50 percent', async () => {
    const container = startContainer()
    await inject(container, { kind: 'latency', delayMs: 60 }, { methods: ['write'], percent: 50 })
    const out = await run(
      container,
      `${TIMED} const fd = fs.openSync('/data/log', 'a')
      console.log(JSON.stringify(Array.from({ length: 60 }, () => timed(() => fs.writeSync(fd, 'line\\n')))))`,
    )
    const slow = (JSON.parse(out) as number[]).filter((each) => each >= 59).length
    expect(slow).toBeGreaterThan(18)
    expect(slow).toBeLessThan(42)
    expect(readFileSync(join(container.volume, 'log'), 'utf8')).toBe('line\n'.repeat(60))
  })

  it('delays only the affected call', async () => {
    const container = startContainer()
    await inject(container, { kind: 'latency', delayMs: 1500 }, { path: '/data/slow', methods: ['write'] })
    const duration = await durationOf(() =>
      run(
        container,
        `const start = performance.now()
        const slow = fs.promises.writeFile('/data/slow', 'x')
        for (let i = 0; i < 20; i += 1) await fs.promises.writeFile('/data/quick', 'x')
        if (performance.now() - start > 1400) throw new Error('the unaffected writes waited')
        await slow`,
      ),
    )
    expect(duration).toBeGreaterThan(1500)
  })

  it('ends at once on recovery, and leaves no mount and no program behind', async () => {
    const container = startContainer()
    const before = container.mounts()
    const recover = await inject(container, { kind: 'latency', delayMs: 30_000 }, { methods: ['write'] })
    expect(container.mounts()).not.toBe(before)
    const writer = container.start(
      `import fs from 'node:fs'; console.log('go'); fs.writeFileSync('/data/a', 'late')`,
    )
    await once(writer.stdout!, 'data')
    await new Promise((resolve) => createRealClock().after(200, () => resolve(undefined)))
    const exit = once(writer, 'close')
    expect(await durationOf(recover)).toBeLessThan(1000)
    expect((await exit)[0]).toBe(0)
    expect(readFileSync(join(container.volume, 'a'), 'utf8')).toBe('late')
    expect(container.mounts()).toBe(before)
    await expect.poll(runningPrograms).toEqual([])
    expect(errors).toEqual([])
  })
})

describe('errors', () => {
  it('have the errno of the fault', async () => {
    const container = startContainer()
    writeFileSync(join(container.volume, 'a'), 'text')
    await inject(container, { kind: 'error', errno: constants.errno.EIO }, { methods: ['read'] })
    const recoverSecond = await inject(
      container,
      { kind: 'error', errno: constants.errno.ENOSPC },
      { methods: ['write'], path: '/data/*.log' },
    )
    const script = `const code = (task) => { try { task(); return 'fine' } catch (error) { return error.code } }
      console.log(code(() => fs.readFileSync('/data/a')), code(() => fs.writeFileSync('/data/b.log', 'x')),
        code(() => fs.writeFileSync('/data/b', 'x')))`
    expect(await run(container, script)).toBe('EIO ENOSPC fine')
    await recoverSecond()
    expect(await run(container, script)).toBe('EIO fine fine')
  })
})

describe('faults on attributes and data', () => {
  it('report wrong attributes while the underlying file is unchanged', async () => {
    const container = startContainer()
    writeFileSync(join(container.volume, 'a'), 'x'.repeat(1000), { mode: 0o600 })
    const recover = await inject(
      container,
      { kind: 'attributes', attributes: { perm: 0o741, uid: 77, size: 12, mtime: 5.5 } },
      { path: '/data/a' },
    )
    const script = `const s = fs.statSync('/data/a'); console.log((s.mode & 0o7777).toString(8), s.uid, s.size, s.mtimeMs > 6000)`
    expect(await run(container, script)).toBe('741 77 12 false')
    await recover()
    expect(await run(container, script)).toBe('600 0 1000 true')
  })

  it('corrupt data that is read or written', async () => {
    const container = startContainer()
    writeFileSync(join(container.volume, 'a'), 'x'.repeat(4000))
    const mistake = { kind: 'mistake', filling: 'zero', maxOccurrences: 3, maxLength: 10 } as const
    await inject(container, mistake, { methods: ['read'], path: '/data/a' })
    await inject(container, mistake, { methods: ['write'], path: '/data/b' })
    const wrong = Number(
      await run(container, `console.log(fs.readFileSync('/data/a').filter((byte) => byte === 0).length)`),
    )
    expect(wrong).toBeGreaterThanOrEqual(1)
    expect(wrong).toBeLessThanOrEqual(30)
    await run(container, `fs.writeFileSync('/data/b', 'y'.repeat(4000))`)
    expect(readFileSync(join(container.volume, 'a'), 'utf8')).toBe('x'.repeat(4000))
    const written = readFileSync(join(container.volume, 'b'))
    expect(written.length).toBe(4000)
    expect(written.filter((byte) => byte === 0).length).toBeGreaterThan(0)
  })
})

describe('a process that is already running', () => {
  it('is affected through open files and its working folder, and keeps its file positions', async () => {
    const container = startContainer()
    const writer = container.start(`import fs from 'node:fs'
      fs.mkdirSync('/data/home'); process.chdir('/data/home')
      const [log, plain] = [fs.openSync('/data/log', 'a'), fs.openSync('/data/plain', 'w')]
      for (let i = 0; ; i += 1) {
        const start = performance.now()
        fs.writeSync(log, i + '\\n'); fs.writeSync(plain, i + '\\n'); fs.writeFileSync('here', 'x')
        console.log(i + ' ' + Math.round(performance.now() - start))
        await new Promise((resolve) => setTimeout(resolve, 5))
      }`)
    const durations: number[] = []
    let rest = ''
    writer.stdout!.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop()!
      durations.push(...lines.map((line) => Number(line.split(' ')[1])))
    })
    const nextRounds = async (count: number) => {
      const from = durations.length
      await expect.poll(() => durations.length, { timeout: 10_000 }).toBeGreaterThanOrEqual(from + count)
      return durations.slice(from + 1)
    }
    await nextRounds(20)
    const recover = await inject(container, { kind: 'latency', delayMs: 50 }, { methods: ['write'] })
    for (const durationMs of await nextRounds(6)) expect(durationMs).toBeGreaterThanOrEqual(149)
    expect(await durationOf(recover)).toBeLessThan(1000)
    const after = (await nextRounds(40)).toSorted((a, b) => a - b)
    expect(after[20]).toBeLessThan(20)
    await expect.poll(runningPrograms).toEqual([])
    process.kill(
      Number(readFileSync(`/proc/${writer.pid}/task/${writer.pid}/children`, 'utf8').trim()),
      'SIGKILL',
    )
    await once(writer, 'close')
    const expected = Array.from({ length: durations.length }, (_, index) => `${index}\n`).join('')
    for (const name of ['log', 'plain'])
      expect(readFileSync(join(container.volume, name), 'utf8').startsWith(expected)).toBe(true)
    expect(errors).toEqual([])
  })
})

describe('processes that share an open file', () => {
  it('still share it after the injection and the recovery', async () => {
    const container = startContainer()
    const script = `exec > /data/all 2>&1
      for k in 1 2 3; do
        (i=0; while [ $i -lt 400 ]; do echo $k $i; i=$((i+1)); echo $k $i >&2; i=$((i+1)); sleep 0.004; done) &
      done; wait`
    const writers = container.start(`import { spawn } from 'node:child_process'
      spawn('/bin/sh', ['-c', ${JSON.stringify(script)}], { stdio: 'inherit' })`)
    const exit = once(writers, 'close')
    await expect.poll(() => existsSync(join(container.volume, 'all'))).toBe(true)
    for (let round = 0; round < 2; round += 1) {
      const recover = await inject(container, { kind: 'latency', delayMs: 3 }, { methods: ['write'] })
      await recover()
    }
    expect((await exit)[0]).toBe(0)
    const lines = readFileSync(join(container.volume, 'all'), 'utf8').split('\n')
    for (const writer of ['1', '2', '3'])
      expect(lines.filter((line) => line.startsWith(`${writer} `))).toEqual(
        Array.from({ length: 400 }, (_, index) => `${writer} ${index}`),
      )
    expect(errors).toEqual([])
  })
})

describe('locks', () => {
  it('are kept during the injection and the recovery', async () => {
    const container = startContainer()
    const holder = container.start(`import { spawn } from 'node:child_process'
      spawn('/usr/bin/flock', ['/data/lock', '/bin/sh', '-c', 'echo held; sleep 20'], { stdio: 'inherit' })`)
    await once(holder.stdout!, 'data')
    const attempt = `import { spawnSync } from 'node:child_process'
      console.log(spawnSync('/usr/bin/flock', ['-n', '/data/lock', 'true']).status)`
    const recover = await inject(container, { kind: 'latency', delayMs: 1 }, { methods: ['read'] })
    expect(await run(container, attempt)).toBe('1')
    await recover()
    expect(await run(container, attempt)).toBe('1')
  })
})

describe('a named pipe', () => {
  it('is not affected, and does not block the recovery', async () => {
    const container = startContainer()
    const script = `mkfifo /data/pipe; exec 3<> /data/pipe; echo ready; read line; echo $line >&3; read back <&3; echo $back`
    const user = container.start(`import { spawn } from 'node:child_process'
      spawn('/bin/sh', ['-c', ${JSON.stringify(script)}], { stdio: 'inherit' })`)
    await once(user.stdout!, 'data')
    const recover = await inject(container, { kind: 'latency', delayMs: 1 }, { methods: ['read'] })
    await recover()
    const output = once(user.stdout!, 'data')
    user.stdin!.write('hello\n')
    expect(String((await output)[0])).toBe('hello\n')
    expect(errors).toEqual([])
  })
})

describe('callers do not hang', () => {
  it('when the program that serves their files is killed during a write', async () => {
    const container = startContainer()
    const before = container.mounts()
    const recover = await inject(container, { kind: 'latency', delayMs: 30_000 }, { methods: ['write'] })
    const writer = container.start(`import fs from 'node:fs'; console.log('go')
      try { fs.writeFileSync('/data/a', 'x') } catch (error) { console.log(error.code) }`)
    await once(writer.stdout!, 'data')
    await new Promise((resolve) => createRealClock().after(150, () => resolve(undefined)))
    const output = once(writer.stdout!, 'data')
    for (const pid of runningPrograms()) process.kill(pid, 'SIGKILL')
    expect(String((await output)[0]).trim()).toMatch(/ECONNABORTED|ENOTCONN/)
    await expect.poll(() => errors.length).toBe(1)
    expect(await durationOf(recover)).toBeLessThan(1000)
    expect(container.mounts()).toBe(before)
    expect(
      await run(container, `fs.writeFileSync('/data/b', 'x'); console.log(fs.readdirSync('/data'))`),
    ).toContain('b')
  })

  it('when the container is killed while its write is delayed', async () => {
    const container = startContainer()
    const recover = await inject(container, { kind: 'latency', delayMs: 60_000 }, { methods: ['write'] })
    const writer = container.start(
      `import fs from 'node:fs'; console.log('go'); fs.writeFileSync('/data/a', 'x')`,
    )
    await once(writer.stdout!, 'data')
    await new Promise((resolve) => createRealClock().after(150, () => resolve(undefined)))
    const exit = once(writer, 'close')
    container.kill()
    expect(await durationOf(() => exit)).toBeLessThan(1000)
    await expect.poll(runningPrograms, { timeout: 2000 }).toEqual([])
    await recover()
    expect(errors).toEqual([])
  })
})

describe('a fault', () => {
  it('follows symbolic links only inside the container', async () => {
    const container = startContainer()
    const error = { kind: 'error', errno: constants.errno.EIO } as const
    await inject(container, error, { volumePath: '/link', methods: ['open'] })
    writeFileSync(join(container.volume, 'a'), 'x')
    const { stderr } = await container.run(`import fs from 'node:fs'; fs.readFileSync('/data/a')`)
    expect(stderr).toContain('EIO')
    symlinkSync('/etc/passwd', join(container.volume, 'outside'))
    const outside = await container.run(`import fs from 'node:fs'; fs.readFileSync('/data/outside')`)
    expect(outside.stderr).toContain('ENOENT')
  })

  it('is rejected with a reason if it cannot be injected', async () => {
    const container = startContainer()
    const latency = { kind: 'latency', delayMs: 1 } as const
    await expect(inject(container, latency, { volumePath: '/none' })).rejects.toThrow('/none: ENOENT')
    const target = { namespace: 'default', pod: 'p', uid: 'u1', container: 'other' }
    await expect(inject(container, latency, { target })).rejects.toThrow(
      'container other of pod default/p is not running',
    )
    await inject(container, latency)
    await expect(inject(container, latency, { volumePath: '/data/x' })).rejects.toThrow(
      'already acts on /data',
    )
    await expect(inject(container, latency, { path: '/data/[z-a]' })).rejects.toThrow(
      'not a valid path pattern',
    )
    expect(await run(container, `console.log(fs.readdirSync('/data').length)`)).toBe('0')
    await expect.poll(runningPrograms).toHaveLength(1)
  })

  it('is not applied to a process that reuses the pid', async () => {
    const container = startContainer()
    const task = {
      pid: container.pid,
      mountNamespace: 'mnt:[1]',
      volumePath: '/data',
      source: 'none',
      seed: '',
    }
    await expect(createVolumeServer(task, marker, (error) => errors.push(error))).rejects.toThrow('has ended')
    expect(container.mounts()).not.toContain('fuse')
  })
})
