/** Tests the program as a process: how it stops, its crash output, and the load of bad releases. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import type { Behaviour } from '#spec'
import { packReleases } from '#world/twin/ports'

const folder = mkdtempSync(join(tmpdir(), 'main-'))

interface Process {
  readonly child: ChildProcess
  readonly port: number
  /** The output so far. */
  readonly text: () => string
  readonly exitCode: Promise<number | null>
}

const children: ChildProcess[] = []
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true })
})

const findFreePort = async (): Promise<number> => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

const startProgram = async (behaviour: Partial<Behaviour>): Promise<Process> => {
  const port = await findFreePort()
  const file = join(folder, `${port}.bin`)
  const slice = {
    system: 'test',
    service: 'shop',
    release: '1',
    behaviour: { protocol: 'http' as const, listen: 'int(env.PORT)', endpoints: {}, ...behaviour },
    protocols: {},
  }
  writeFileSync(file, packReleases([slice])[0]!)
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], {
    env: { PORT: String(port), REMEDIUM_SERVICE_FILE: file, REMEDIUM_TELEMETRY: join(folder, 'none.sock') },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  let text = ''
  child.stdout!.on('data', (part) => {
    text += part
  })
  const exitCode = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)))
  return { child, port, text: () => text, exitCode }
}

const get = ({ port }: Process, path: string): Promise<Response> => fetch(`http://127.0.0.1:${port}${path}`)

/** `expect.poll` does not work in concurrent tests. */
const waitUntil = (condition: () => boolean | Promise<boolean>): Promise<void> =>
  vi.waitFor(async () => expect(await condition()).toBe(true), { timeout: 20_000 })

const waitUntilListening = (program: Process): Promise<void> =>
  waitUntil(() =>
    get(program, '/metrics').then(
      ({ ok }) => ok,
      () => false,
    ),
  )

const readCpuMs = ({ pid }: ChildProcess): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')
  return (Number(fields[13]) + Number(fields[14])) * 10
}

const readResidentMiB = ({ pid }: ChildProcess): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

describe.concurrent('the program', () => {
  it('answers active requests before it stops', async () => {
    const program = await startProgram({
      endpoints: { 'GET /': { reply: '"late"' } },
      defects: [{ kind: 'slow', ms: 400 }],
    })
    await waitUntilListening(program)
    const answer = get(program, '/').then((response) => response.text())
    await sleep(100)
    program.child.kill('SIGTERM')
    expect(await answer).toBe('late')
    expect(await program.exitCode).toBe(0)
  })

  it('stops gracefully after repeated signals', async () => {
    const program = await startProgram({
      endpoints: { 'GET /': { reply: '"late"' } },
      defects: [{ kind: 'slow', ms: 600 }],
    })
    await waitUntilListening(program)
    const answer = get(program, '/').then((response) => response.text())
    await sleep(100)
    for (const signal of ['SIGTERM', 'SIGTERM', 'SIGINT'] as const) program.child.kill(signal)
    await sleep(50)
    program.child.kill('SIGTERM')
    expect(await answer).toBe('late')
    expect(await program.exitCode).toBe(0)
  })

  it('stops on a signal during its start', async () => {
    const program = await startProgram({
      upstreams: { gone: { address: '"127.0.0.1:1"', protocol: 'http' } },
      start: [{ call: 'gone GET /' }],
    })
    await waitUntil(() => program.text().includes('ECONNREFUSED'))
    program.child.kill('SIGTERM')
    expect(await program.exitCode).toBe(0)
    expect(program.text()).not.toContain('fatal')
  })

  it('prints the crash output of its original', async () => {
    const panic = await startProgram({ required: ['DB_HOST'], logFormat: 'go-json' })
    expect(await panic.exitCode).toBe(1)
    expect(panic.text()).toMatch(/^panic: environment variable "DB_HOST" not set\n\ngoroutine 1/)
    const crash = await startProgram({ defects: [{ kind: 'crash' }], logFormat: 'spring' })
    expect(await crash.exitCode).toBe(1)
    expect(crash.text()).toContain('Application run failed')
  })

  it('exits if its port is taken', async () => {
    const first = await startProgram({})
    await waitUntilListening(first)
    const second = await startProgram({ listen: String(first.port) })
    expect(await second.exitCode).toBe(1)
    expect(second.text()).toContain('address already in use')
  })

  it('still serves in a bad release that uses a whole core or leaks memory', async () => {
    const [hot, leaky] = await Promise.all([
      startProgram({ endpoints: { 'GET /': { reply: '1' } }, defects: [{ kind: 'hot-loop' }] }),
      startProgram({
        endpoints: { 'GET /': { reply: '1' } },
        defects: [{ kind: 'leak', kibPerRequest: 4096, kibPerSecond: 20_480 }],
      }),
    ])
    await Promise.all([waitUntilListening(hot), waitUntilListening(leaky)])
    const before = readResidentMiB(leaky.child)
    for (let index = 0; index < 5; index += 1) await get(leaky, '/')
    expect(readResidentMiB(leaky.child) - before).toBeGreaterThan(18)
    await waitUntil(() => readResidentMiB(leaky.child) - before > 38)
    const cpu = readCpuMs(hot.child)
    await waitUntil(() => readCpuMs(hot.child) - cpu > 600)
    expect((await get(hot, '/')).status).toBe(200)
  })
})
