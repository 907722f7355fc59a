/** Whether somebody listens is read off the kernel. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { createRealClock } from '../../kit/index.ts'
import type { Client, PodProcesses } from '../../kube/index.ts'
import { listensSomewhere, untilListening } from './until-listening.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** In a network of its own, where nobody listens until it is told to. */
const startLonely = async (): Promise<{ pid: number; listen(): void }> => {
  const program = `console.log('up'); process.stdin.once('data', () => require('net').createServer().listen(9090))`
  const child = spawn('unshare', ['--net', process.execPath, '-e', program], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  closing.push(() => child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return { pid: child.pid!, listen: () => child.stdin.write('now\n') }
}

const clientOf = (containers: readonly object[]): Client =>
  ({ list: () => [{ metadata: { uid: 'a' }, spec: { containers } }] }) as unknown as Client

const processesOf = (pid: number): PodProcesses =>
  ({ find: () => ({ containers: [{ name: 'main', pid }] }) }) as unknown as PodProcesses

it('sees a socket that listens, of either family, and takes the dead for well', async () => {
  const lonely = await startLonely()
  expect(listensSomewhere(lonely.pid)).toBe(false)
  lonely.listen()
  await expect.poll(() => listensSomewhere(lonely.pid)).toBe(true)
  const server = createServer().listen(0, '127.0.0.1')
  closing.push(() => server.close())
  await once(server, 'listening')
  expect(listensSomewhere(process.pid)).toBe(true)
  expect(listensSomewhere(2 ** 22 + 1)).toBe(true)
})

it('waits for containers with a port and no probe only, and not for ever', async () => {
  const lonely = await startLonely()
  const clock = createRealClock({ keepsAlive: true })
  const wait = async (container: object, timeoutMs: number): Promise<number> => {
    const started = performance.now()
    const client = clientOf([{ name: 'main', ...container }])
    const processes = processesOf(lonely.pid)
    await untilListening({ client, processes, namespace: 'shop', clock, timeoutMs })
    return performance.now() - started
  }
  const ports = [{ containerPort: 9090 }]
  expect(await wait({}, 5000)).toBeLessThan(2500)
  expect(await wait({ ports, readinessProbe: {} }, 5000)).toBeLessThan(2500)
  expect(await wait({ ports: [{ containerPort: 53, protocol: 'UDP' }] }, 5000)).toBeLessThan(2500)
  expect(await wait({ ports }, 200)).toBeGreaterThan(190)
  const waiting = wait({ ports }, 20_000)
  lonely.listen()
  expect(await waiting).toBeLessThan(15_000)
})
