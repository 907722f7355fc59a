/** Needs root: tests attach, logs, connections and usage of real containers. */
import { linkSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRealClock, sleep } from '#kit'
import type { DiskUsage, LogOptions, Outcome } from '#platform/kube/ports'
import { type AccessWorld, createAccessWorld, createCollector, execIn } from '../testing/access-world.ts'

const clock = createRealClock()
let world: AccessWorld
beforeEach(async () => {
  world = await createAccessWorld()
})
afterEach(() => world.close())

const neverAborted = new AbortController().signal
const LOG_OPTIONS: LogOptions = { previous: false, follow: false, timestamps: false }

describe('logs', () => {
  it('are those of the latest or the previous run', async () => {
    const script = (word: string): string[] => ['sh', '-c', `echo ${word}; echo ${word} >&2`]
    await (await world.start({ name: 'main', command: script('first') })).ended
    await (await world.start({ name: 'main', command: script('second') })).ended
    const read = async (options: LogOptions): Promise<string> =>
      text(await world.access.logs(world.pod, 'main', options))
    expect(await read(LOG_OPTIONS)).toBe('second\nsecond\n')
    expect(await read({ ...LOG_OPTIONS, follow: true })).toBe('second\nsecond\n')
    expect(await read({ ...LOG_OPTIONS, previous: true })).toBe('first\nfirst\n')
  })

  it('of a missing container or a missing previous run are rejected', async () => {
    await world.start({ name: 'main', command: ['true'] })
    await expect(world.access.logs(world.pod, 'main', { ...LOG_OPTIONS, previous: true })).rejects.toThrow(
      'previous terminated container "main" in pod "box" not found',
    )
    await expect(world.access.logs(world.pod, 'nope', LOG_OPTIONS)).rejects.toThrow(
      'container not found ("nope")',
    )
  })

  it('are followed until the container ends', async () => {
    await world.start({ name: 'main', command: ['sh', '-c', 'for i in 1 2 3; do echo $i; sleep 0.1; done'] })
    expect(await text(await world.access.logs(world.pod, 'main', { ...LOG_OPTIONS, follow: true }))).toBe(
      '1\n2\n3\n',
    )
  })
})

describe('attach', () => {
  it('connects the streams, and ends with the container', async () => {
    const command = ['sh', '-c', 'while read line; do echo "got $line"; echo "no $line" >&2; done; echo bye']
    await world.start({ name: 'main', stdin: true, stdinOnce: true, command })
    const [out, err] = [createCollector(), createCollector()]
    const stdin = new PassThrough()
    const attached = world.access.attach(world.pod, 'main', {
      tty: false,
      stdin,
      stdout: out.target,
      stderr: err.target,
      signal: neverAborted,
    })
    stdin.write('one\n')
    await expect.poll(out.text).toBe('got one\n')
    stdin.end()
    await attached
    expect([out.text(), err.text()]).toEqual(['got one\nbye\n', 'no one\n'])
  })

  it('does not affect the container when the client disconnects', async () => {
    const main = await world.start({ name: 'main', stdin: true, command: ['cat'] })
    const attachAndEcho = async (word: string): Promise<string> => {
      const out = createCollector()
      const stdin = new PassThrough()
      const controller = new AbortController()
      const attached = world.access.attach(world.pod, 'main', {
        tty: false,
        stdin,
        stdout: out.target,
        signal: controller.signal,
      })
      stdin.end(word)
      await expect.poll(out.text).toContain(word)
      controller.abort()
      await attached
      return out.text()
    }
    expect(await attachAndEcho('first\n')).toBe('first\n')
    expect(await attachAndEcho('second\n')).toBe('second\n')
    expect(main.pid).toBeDefined()
  })

  it('uses the terminal of the container', async () => {
    const main = await world.start({ name: 'main', stdin: true, tty: true, command: ['sh', '-i'] })
    const out = createCollector()
    const stdin = new PassThrough()
    const attached = world.access.attach(world.pod, 'main', {
      tty: true,
      stdin,
      stdout: out.target,
      signal: neverAborted,
      resize: (listener) => listener({ columns: 132, rows: 50 }),
    })
    stdin.write('stty size\n')
    await expect.poll(out.text).toContain('50 132')
    stdin.write('exit 3\n')
    await attached
    expect(await main.ended).toMatchObject({ exitCode: 3 })
  })
})

const GREETER = `
import socket
s = socket.create_server(('127.0.0.1', 7000))
print('up', flush=True)
while True:
    c, _ = s.accept()
    c.sendall(b'hello')
    c.close()
`

describe('connect', () => {
  it('reaches servers on the loopback of the pod', async () => {
    const main = await world.start({ name: 'main', command: ['python3', '-c', GREETER] })
    await expect.poll(() => main.log.tail({ bytes: 100, lines: 5 })).toContain('up')
    expect(await text(await world.access.connect(world.pod, 7000))).toBe('hello')
    await expect(world.access.connect(world.pod, 7001)).rejects.toMatchObject({
      message: 'dial tcp4 127.0.0.1:7001: connect: connection refused',
      code: 'ECONNREFUSED',
    })
  })
})

/** The CPU time of a process in milliseconds; the kernel counts in ticks of 10 ms. */
const cpuMsOf = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

describe('usage', () => {
  it('measures CPU to within 10%, and memory', async () => {
    const script = 'x = bytearray(64 << 20)\nwhile True: pass'
    const { pid } = await world.start({ name: 'busy', command: ['python3', '-c', script] })
    await world.start({ name: 'idle', command: ['sleep', 'infinity'] })
    await (await world.start({ name: 'done', command: ['true'] })).ended
    const first = world.access.usage(world.pod)
    expect(Object.keys(first)).toEqual(['busy', 'idle'])
    for (const { cpu } of Object.values(first)) expect(cpu).toBeGreaterThanOrEqual(0)
    await sleep(clock, 2500)
    const { busy, idle } = world.access.usage(world.pod)
    const actualCpu = cpuMsOf(pid!) / busy!.windowMs
    expect(busy!.cpu / actualCpu).toBeGreaterThan(0.9)
    expect(busy!.cpu / actualCpu).toBeLessThan(1.1)
    expect(busy!.memory).toBeGreaterThan(64 * 2 ** 20)
    expect(busy!.memory).toBeLessThan(96 * 2 ** 20)
    expect(busy!.windowMs).toBeGreaterThan(2400)
    expect(idle!.cpu).toBeLessThan(0.05)
  })
})

describe('disk usage', () => {
  it('counts volumes, writable layers and logs', async () => {
    const main = await world.start({
      name: 'main',
      command: ['sh', '-c', 'head -c 1000000 /dev/urandom > /usr/lib/large; seq 10000; sleep infinity'],
    })
    const cache = world.emptyDir('cache')
    world.emptyDir('empty')
    writeFileSync(join(cache, 'file'), Buffer.alloc(500_000, 1))
    linkSync(join(cache, 'file'), join(cache, 'same'))
    symlinkSync('/usr', join(cache, 'elsewhere'))
    await expect.poll(() => main.log.tail({ bytes: 100, lines: 1 })).toBe('10000\n')
    const { ok, value } = (await new Promise<Outcome<DiskUsage>>((resolve) =>
      world.access.diskUsage(world.pod, resolve),
    )) as { ok: true; value: DiskUsage }
    expect(ok).toBe(true)
    expect(value.volumes.cache).toBeGreaterThanOrEqual(500_000)
    expect(value.volumes.cache).toBeLessThan(520_000)
    expect(value.volumes.empty).toBeLessThan(5000)
    expect(value.persistent).toEqual(value.volumes)
    expect(value.availableBytes).toBeGreaterThan(1_000_000)
    expect(value.containers.main).toBeGreaterThan(1_000_000 + main.log.sizeBytes())
    expect(value.containers.main).toBeLessThan(1_200_000 + main.log.sizeBytes())
    expect((await execIn(world, ['ls', '/usr/lib/large'])).out).toBe('/usr/lib/large\n')
  })
})
