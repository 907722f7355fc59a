/** Needs root: tests commands in a real container. */
import { createHash, randomFillSync } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, Readable, Writable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRealClock, sleep } from '#kit'
import { createCgroups } from '#machine/linux'
import { ExecNotStarted } from '#platform/kube/ports'
import { type AccessWorld, createAccessWorld, createCollector, execIn } from '../testing/access-world.ts'
import type { BareContainer } from '../testing/bare-container.ts'

const clock = createRealClock()
const cgroups = createCgroups()
let world: AccessWorld
let main: BareContainer
beforeAll(async () => {
  world = await createAccessWorld()
  main = await world.start({ name: 'main', command: ['sleep', 'infinity'] })
})
afterAll(() => world.close())

const neverAborted = new AbortController().signal

describe('exec', () => {
  it('returns stdout, stderr and exit codes', async () => {
    expect(await execIn(world, ['sh', '-c', 'echo out; echo err >&2; exit 7'])).toEqual({
      exitCode: 7,
      out: 'out\n',
      err: 'err\n',
    })
    expect(await execIn(world, ['sh', '-c', 'kill -9 $$'])).toMatchObject({ exitCode: 137 })
  })

  it('uses the working folder and the environment of the container', async () => {
    const { out } = await execIn(world, ['sh', '-c', 'pwd; echo $COLOUR; hostname; id -u; cat /proc/1/comm'])
    expect(out).toBe('/tmp\ngreen\nbare\n0\nsleep\n')
  })

  it('lets programs reopen their streams', async () => {
    const script = 'echo one > /dev/stdout; echo two > /dev/stderr; cat /dev/stdin'
    expect(await execIn(world, ['sh', '-c', script], { input: 'three' })).toEqual({
      exitCode: 0,
      out: 'one\nthree',
      err: 'two\n',
    })
  })

  it.each([
    ['no-such-program', 'exec: "no-such-program": executable file not found in $PATH'],
    ['/no/such', 'exec: "/no/such": stat /no/such: no such file or directory'],
    ['/etc', 'exec: "/etc": permission denied'],
  ])('reports why %s cannot be started', async (program, message) => {
    const failure = await execIn(world, [program]).catch((error: Error) => error)
    expect(failure).toBeInstanceOf(ExecNotStarted)
    expect((failure as Error).message.replace(/"[0-9a-f]{64}"/, 'ID')).toBe(
      `failed to exec in container: failed to start exec ID: OCI runtime exec failed: exec failed: unable to start container process: ${message}: unknown`,
    )
  })

  it('reports a missing container', async () => {
    const options = { command: ['true'], tty: false, signal: neverAborted }
    await expect(world.access.exec(world.pod, 'nope', options)).rejects.toThrow(
      'container not found ("nope")',
    )
  })

  it('closes stdin when the client does, and ends even if the program does not read', async () => {
    expect(await execIn(world, ['wc', '-c'], { input: 'x'.repeat(300_000) })).toMatchObject({
      out: '300000\n',
    })
    const endless = new Readable({
      read() {
        clock.defer(() => this.push(Buffer.alloc(65_536)))
      },
    })
    expect(await execIn(world, ['sh', '-c', 'exit 4'], { stdin: endless })).toMatchObject({ exitCode: 4 })
    endless.destroy()
  })

  it('transfers 20 MB in both directions without loss', async () => {
    const content = randomFillSync(Buffer.alloc(20 * 2 ** 20))
    const hash = createHash('sha256').update(content).digest('hex')
    const chunks = Array.from({ length: 320 }, (_, index) =>
      content.subarray(index * 65_536, (index + 1) * 65_536),
    )
    const upload = await execIn(world, ['sh', '-c', 'cat > /tmp/large; sha256sum < /tmp/large'], {
      stdin: Readable.from(chunks),
    })
    expect(upload.out.slice(0, 64)).toBe(hash)
    const downloadHash = createHash('sha256')
    const stdout = new Writable({
      write(chunk: Buffer, _encoding, done) {
        downloadHash.update(chunk)
        done()
      },
    })
    await execIn(world, ['cat', '/tmp/large'], { stdout })
    expect(downloadHash.digest('hex')).toBe(hash)
  })

  it('blocks the program while the client is slow', async () => {
    let receivedBytes = 0
    const release = Promise.withResolvers<void>()
    const slow = new Writable({
      write(chunk: Buffer, _encoding, done) {
        receivedBytes += chunk.length
        if (receivedBytes > 2_000_000) done()
        else void release.promise.then(() => done())
      },
    })
    const ended = execIn(world, ['head', '-c', '30000000', '/dev/zero'], { stdout: slow })
    await sleep(clock, 300)
    expect(receivedBytes).toBeLessThan(200_000)
    expect(slow.writableLength).toBeLessThan(200_000)
    release.resolve()
    expect(await ended).toMatchObject({ exitCode: 0 })
    expect(receivedBytes).toBe(30_000_000)
  })

  it('kills the program and its descendants when the client disconnects', async () => {
    const before = cgroups.pids(main.cgroup)
    const controller = new AbortController()
    const stdout = new PassThrough()
    const ended = execIn(world, ['sh', '-c', 'sleep 1000 & (sleep 1000; true) & echo here; wait'], {
      stdout,
      signal: controller.signal,
    })
    await new Promise((resolve) => stdout.once('data', resolve))
    await expect.poll(() => cgroups.pids(main.cgroup).length).toBe(before.length + 4)
    controller.abort()
    expect(await ended).toMatchObject({ exitCode: 137 })
    await expect.poll(() => cgroups.pids(main.cgroup)).toEqual(before)
    expect(main.pid).toBeDefined()
  })

  it('leaves no zombies, files or descriptors behind', async () => {
    await execIn(world, ['true'])
    const descriptors = readdirSync('/proc/self/fd').length
    for (let round = 0; round < 5; round += 1) {
      await execIn(world, ['true'], { input: 'x' })
      await execIn(world, ['true'], { tty: true })
      await expect(execIn(world, ['nope'])).rejects.toThrow(ExecNotStarted)
    }
    await expect.poll(() => readdirSync('/proc/self/fd').length).toBeLessThanOrEqual(descriptors)
    expect(readdirSync(join(world.folder, 'runc')).filter((name) => /exec|tty/.test(name))).toEqual([])
  })
})

describe('exec with a terminal', () => {
  it('forwards changes of the window size', async () => {
    const out = createCollector()
    const stdin = new PassThrough()
    let resize = (_size: { columns: number; rows: number }): void => {}
    const ended = world.access.exec(world.pod, 'main', {
      command: ['sh', '-c', 'echo $TERM; read a; stty size; read b; stty size; tty; exit 5'],
      tty: true,
      stdin,
      stdout: out.target,
      resize: (listener) => {
        resize = listener
        listener({ columns: 101, rows: 43 })
      },
      signal: neverAborted,
    })
    stdin.write('a\n')
    await expect.poll(out.text).toContain('43 101')
    resize({ columns: 80, rows: 24 })
    stdin.write('b\n')
    expect(await ended).toEqual({ exitCode: 5 })
    // The echo of the input may come before the first line of output.
    expect(
      out
        .text()
        .replaceAll('\r', '')
        .split('\n')
        .filter((line) => !['a', 'b'].includes(line)),
    ).toEqual(['xterm', '43 101', '24 80', '/dev/pts/0', ''])
  })

  it('forwards input: Ctrl-C interrupts the program', async () => {
    const out = createCollector()
    const stdin = new PassThrough()
    const ended = world.access.exec(world.pod, 'main', {
      command: ['sh', '-c', 'echo ready; sleep 1000'],
      tty: true,
      stdin,
      stdout: out.target,
      signal: neverAborted,
    })
    await expect.poll(out.text).toContain('ready')
    stdin.write('\x03')
    expect(await ended).toEqual({ exitCode: 130 })
  })

  it('rejects a program that cannot be started', async () => {
    const out = createCollector()
    const options = { command: ['nope'], tty: true, stdout: out.target, signal: neverAborted }
    await expect(world.access.exec(world.pod, 'main', options)).rejects.toThrow(
      'exec: "nope": executable file not found in $PATH: unknown',
    )
    expect(out.text()).toBe('')
  })
})
