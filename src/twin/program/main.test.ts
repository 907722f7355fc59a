/** Proves the program as a process: how it ends, what it says as it dies, and what bad releases cost. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import type { Behaviour } from '../../spec/index.ts'
import { packReleases } from '../ports/index.ts'

const folder = mkdtempSync(join(tmpdir(), 'main-'))

interface Process {
  readonly child: ChildProcess
  readonly port: number
  /** What it has printed. */
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
    behaviour: { wire: 'http' as const, listen: 'int(env.PORT)', endpoints: {}, ...behaviour },
    wires: {},
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

const ask = ({ port }: Process, path: string): Promise<Response> => fetch(`http://127.0.0.1:${port}${path}`)

/** `expect.poll` knows only one test at a time. */
const until = (condition: () => boolean | Promise<boolean>): Promise<void> =>
  vi.waitFor(async () => expect(await condition()).toBe(true), { timeout: 20_000 })

const untilListening = (one: Process): Promise<void> =>
  until(() =>
    ask(one, '/metrics').then(
      ({ ok }) => ok,
      () => false,
    ),
  )

/** Milliseconds of a core. */
const cpuOf = ({ pid }: ChildProcess): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')
  return (Number(fields[13]) + Number(fields[14])) * 10
}

const residentMiB = ({ pid }: ChildProcess): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

describe.concurrent('the program', () => {
  it('answers what is on its way before it ends', async () => {
    const one = await run({
      endpoints: { 'GET /': { reply: '"late"' } },
      defects: [{ kind: 'slow', ms: 400 }],
    })
    await untilListening(one)
    const answer = ask(one, '/').then((response) => response.text())
    await sleep(100)
    one.child.kill('SIGTERM')
    expect(await answer).toBe('late')
    expect(await one.ended).toBe(0)
  })

  it('ends in good order however often it is told', async () => {
    const one = await run({
      endpoints: { 'GET /': { reply: '"late"' } },
      defects: [{ kind: 'slow', ms: 600 }],
    })
    await untilListening(one)
    const answer = ask(one, '/').then((response) => response.text())
    await sleep(100)
    for (const signal of ['SIGTERM', 'SIGTERM', 'SIGINT'] as const) one.child.kill(signal)
    await sleep(50)
    one.child.kill('SIGTERM')
    expect(await answer).toBe('late')
    expect(await one.ended).toBe(0)
  })

  it('ends when it is told so in the middle of its start', async () => {
    const one = await run({
      upstreams: { gone: { address: '"127.0.0.1:1"', wire: 'http' } },
      start: [{ call: 'gone GET /' }],
    })
    await until(() => one.text().includes('ECONNREFUSED'))
    one.child.kill('SIGTERM')
    expect(await one.ended).toBe(0)
    expect(one.text()).not.toContain('fatal')
  })

  it('dies in the words of its original', async () => {
    const panic = await run({ required: ['DB_HOST'], logFormat: 'go-json' })
    expect(await panic.ended).toBe(1)
    expect(panic.text()).toMatch(/^panic: environment variable "DB_HOST" not set\n\ngoroutine 1/)
    const crash = await run({ defects: [{ kind: 'crash' }], logFormat: 'spring' })
    expect(await crash.ended).toBe(1)
    expect(crash.text()).toContain('Application run failed')
  })

  it('ends when its port is taken', async () => {
    const first = await run({})
    await untilListening(first)
    const second = await run({ listen: String(first.port) })
    expect(await second.ended).toBe(1)
    expect(second.text()).toContain('address already in use')
  })

  it('uses up a core in one bad release, and memory in another, and still serves', async () => {
    const [hot, leaky] = await Promise.all([
      run({ endpoints: { 'GET /': { reply: '1' } }, defects: [{ kind: 'hot-loop' }] }),
      run({
        endpoints: { 'GET /': { reply: '1' } },
        defects: [{ kind: 'leak', kibPerRequest: 4096, kibPerSecond: 20_480 }],
      }),
    ])
    await Promise.all([untilListening(hot), untilListening(leaky)])
    const before = residentMiB(leaky.child)
    for (let turn = 0; turn < 5; turn += 1) await ask(leaky, '/')
    expect(residentMiB(leaky.child) - before).toBeGreaterThan(18)
    await until(() => residentMiB(leaky.child) - before > 38)
    const cpu = cpuOf(hot.child)
    await until(() => cpuOf(hot.child) - cpu > 600)
    expect((await ask(hot, '/')).status).toBe(200)
  })
})
