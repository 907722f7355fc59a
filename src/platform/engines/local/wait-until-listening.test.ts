/** Tests of waiting for listening sockets. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { createRealClock } from '#kit'
import type { Client, PodProcesses } from '#platform/kube'
import { isListening, waitUntilListening } from './wait-until-listening.ts'

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp()
})

/** Starts a process in a separate network namespace. It listens once `listen` is called. */
const startIsolated = async (): Promise<{ pid: number; listen(): void }> => {
  const program = `console.log('up'); process.stdin.once('data', () => require('net').createServer().listen(9090))`
  const child = spawn('unshare', ['--net', process.execPath, '-e', program], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  cleanUps.push(() => child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return { pid: child.pid!, listen: () => child.stdin.write('now\n') }
}

const clientOf = (containers: readonly object[]): Client =>
  ({ list: () => [{ metadata: { uid: 'a' }, spec: { containers } }] }) as unknown as Client

const processesOf = (pid: number): PodProcesses =>
  ({ find: () => ({ containers: [{ name: 'main', pid }] }) }) as unknown as PodProcesses

it('detects listening sockets of IPv4 and IPv6, and ignores processes that have ended', async () => {
  const isolated = await startIsolated()
  expect(isListening(isolated.pid)).toBe(false)
  isolated.listen()
  await expect.poll(() => isListening(isolated.pid)).toBe(true)
  const server = createServer().listen(0, '127.0.0.1')
  cleanUps.push(() => server.close())
  await once(server, 'listening')
  expect(isListening(process.pid)).toBe(true)
  expect(isListening(2 ** 22 + 1)).toBe(true)
})

it('waits for containers with a TCP port and no readiness probe, at most until the timeout', async () => {
  const isolated = await startIsolated()
  const clock = createRealClock({ keepsAlive: true })
  const measureWait = async (container: object, timeoutMs: number): Promise<number> => {
    const started = performance.now()
    const client = clientOf([{ name: 'main', ...container }])
    const processes = processesOf(isolated.pid)
    await waitUntilListening({ client, processes, namespace: 'shop', clock, timeoutMs })
    return performance.now() - started
  }
  const ports = [{ containerPort: 9090 }]
  expect(await measureWait({}, 5000)).toBeLessThan(2500)
  expect(await measureWait({ ports, readinessProbe: {} }, 5000)).toBeLessThan(2500)
  expect(await measureWait({ ports: [{ containerPort: 53, protocol: 'UDP' }] }, 5000)).toBeLessThan(2500)
  expect(await measureWait({ ports }, 200)).toBeGreaterThan(190)
  const waiting = measureWait({ ports }, 20_000)
  isolated.listen()
  expect(await waiting).toBeLessThan(15_000)
})
