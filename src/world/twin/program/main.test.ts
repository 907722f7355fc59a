/** Tests the program as a process: how it stops, its crash output, and the cost of bad releases. */
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
  /** Its output so far. */
  readonly text: () => string
  readonly ended: Promise<number | null>
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

const run = async (behaviour: Partial<Behaviour>): Promise<Process> => {
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
  const ended = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)))
  return { child, port, text: () => text, ended }
}

const get = ({ port }: Process, path: string): Promise<Response> => fetch(`http://127.0.0.1:${port}${path}`)

/** `expect.poll` does not work in concurrent tests. */
const until = (condition: () => boolean | Promise<boolean>): Promise<void> =>
  vi.waitFor(async () => expect(await condition()).toBe(true), { timeout: 20_000 })

const untilListening = (program: Process): Promise<void> =>
  until(() =>
    get(program, '/metrics').then(
      ({ ok }) => ok,
      () => false,
    ),
  )

/** The CPU time in milliseconds. */
const cpuOf = ({ pid }: ChildProcess): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')
  return (Number(fields[13]) + Number(fields[14])) * 10
}

const residentMiB = ({ pid }: ChildProcess): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

describe.concurrent('the program', () => {
  it('answers active requests before it stops', async () => {
    const program = await run({
      endpoints: { 'GET /': { reply: '"late"' } },
      defects: [{ kind: 'slow', ms: 400 }],
    })
    await untilListening(program)
    const answer = get(program, '/').then((response) => response.text())
    await sleep(100)
    program.child.kill('SIGTERM')
    expect(await answer).toBe('late')
    expect(await program.ended).toBe(0)
  })

  it('stops gracefully after repeated signals', async () => {
    const program = await run({
      endpoints: { 'GET /': { reply: '"late"' } },
      defects: [{ kind: 'slow', ms: 600 }],
    })
    await untilListening(program)
    const answer = get(program, '/').then((response) => response.text())
    await sleep(100)
    for (const signal of ['SIGTERM', 'SIGTERM', 'SIGINT'] as const) program.child.kill(signal)
    await sleep(50)
    program.child.kill('SIGTERM')
    expect(await answer).toBe('late')
    expect(await program.ended).toBe(0)
  })

  it('stops on a signal during its start', async () => {
    const program = await run({
      upstreams: { gone: { address: '"127.0.0.1:1"', protocol: 'http' } },
      start: [{ call: 'gone GET /' }],
    })
    await until(() => program.text().includes('ECONNREFUSED'))
    program.child.kill('SIGTERM')
    expect(await program.ended).toBe(0)
    expect(program.text()).not.toContain('fatal')
  })

  it('prints the crash output of its original', async () => {
    const panic = await run({ required: ['DB_HOST'], logFormat: 'go-json' })
    expect(await panic.ended).toBe(1)
    expect(panic.text()).toMatch(/^panic: environment variable "DB_HOST" not set\n\ngoroutine 1/)
    const crash = await run({ defects: [{ kind: 'crash' }], logFormat: 'spring' })
    expect(await crash.ended).toBe(1)
    expect(crash.text()).toContain('Application run failed')
  })

  it('exits if its port is taken', async () => {
    const first = await run({})
    await untilListening(first)
    const second = await run({ listen: String(first.port) })
    expect(await second.ended).toBe(1)
    expect(second.text()).toContain('address already in use')
  })

  it('still serves in a bad release that uses a whole core or leaks memory', async () => {
    const [hot, leaky] = await Promise.all([
      run({ endpoints: { 'GET /': { reply: '1' } }, defects: [{ kind: 'hot-loop' }] }),
      run({
        endpoints: { 'GET /': { reply: '1' } },
        defects: [{ kind: 'leak', kibPerRequest: 4096, kibPerSecond: 20_480 }],
      }),
    ])
    await Promise.all([untilListening(hot), untilListening(leaky)])
    const before = residentMiB(leaky.child)
    for (let turn = 0; turn < 5; turn += 1) await get(leaky, '/')
    expect(residentMiB(leaky.child) - before).toBeGreaterThan(18)
    await until(() => residentMiB(leaky.child) - before > 38)
    const cpu = cpuOf(hot.child)
    await until(() => cpuOf(hot.child) - cpu > 600)
    expect((await get(hot, '/')).status).toBe(200)
  })
})
