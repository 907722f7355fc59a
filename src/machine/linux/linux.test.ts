/** Needs root: tests namespaces, sockets, pipes, orphans and control groups of this machine. */
import { spawnSync } from 'node:child_process'
import { closeSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, it } from 'vitest'
import {
  bindInside,
  childReaper,
  connectInside,
  createCgroups,
  createNetworkNamespace,
  createPipe,
  listenInside,
  type NetworkNamespace,
  readFrom,
  runChecked,
} from './index.ts'

const openNamespaces: NetworkNamespace[] = []
const openNamespace = (): NetworkNamespace => {
  const namespace = createNetworkNamespace()
  openNamespaces.push(namespace)
  return namespace
}
afterEach(() => {
  for (const namespace of openNamespaces.splice(0)) namespace.close()
})

const openWithLoopback = async (): Promise<NetworkNamespace> => {
  const namespace = openNamespace()
  await runChecked('ip', ['link', 'set', 'lo', 'up'], { namespace })
  return namespace
}

describe('a network namespace', () => {
  it('is entered only for one call, even if the call throws', () => {
    const before = Object.keys(networkInterfaces())
    const namespace = openNamespace()
    expect(
      namespace.inside(() => spawnSync('ip', ['-o', 'link'], { encoding: 'utf8' }).stdout),
    ).not.toContain('state UP')
    expect(() =>
      namespace.inside(() => {
        throw new Error('oh')
      }),
    ).toThrow('oh')
    expect(Object.keys(networkInterfaces())).toEqual(before)
  })

  it('cannot be entered after it is closed', () => {
    const namespace = openNamespace()
    namespace.close()
    expect(() => namespace.inside(() => 1)).toThrow('closed')
  })

  it('has its own sockets, which this process can serve', async () => {
    const namespace = await openWithLoopback()
    const server = createServer((socket) => socket.end('from inside')).listen({
      fd: listenInside(namespace, '127.0.0.1', 7777),
    })
    expect(await text(await connectInside(namespace, '127.0.0.1', 7777))).toBe('from inside')
    await expect(connectInside(openNamespace(), '127.0.0.1', 7777)).rejects.toThrow('ENETUNREACH')
    await expect(connectInside(namespace, '127.0.0.1', 7778)).rejects.toThrow('ECONNREFUSED')
    server.close()
  })

  it('reports why an address cannot be bound', async () => {
    const namespace = await openWithLoopback()
    const fd = listenInside(namespace, '127.0.0.1', 7777)
    expect(() => listenInside(namespace, '127.0.0.1', 7777)).toThrow('EADDRINUSE')
    expect(() => listenInside(namespace, '10.0.0.9', 1)).toThrow('EADDRNOTAVAIL')
    closeSync(fd)
  })

  it('supports datagrams', async () => {
    const namespace = await openWithLoopback()
    const [a, b] = [
      await bindInside(namespace, '127.0.0.1', 53),
      await bindInside(namespace, '127.0.0.1', 5353),
    ]
    const received = new Promise<string>((resolve) =>
      a.once('message', (message) => resolve(message.toString())),
    )
    b.send('question', 53, '127.0.0.1')
    expect(await received).toBe('question')
    a.close()
    b.close()
  })
})

describe('the reaper', () => {
  it('reports the exit code of an orphan', async () => {
    const pidFile = join(tmpdir(), `remedium-orphan-${process.pid}`)
    const reaper = childReaper()
    spawnSync('sh', ['-c', `(sleep 0.05; exit 7) & echo $! > ${pidFile}`])
    const pid = Number(readFileSync(pidFile, 'utf8'))
    rmSync(pidFile)
    expect(await new Promise((resolve) => reaper.adopt(pid, resolve))).toEqual({ exitCode: 7 })
  })
})

describe('a pipe', () => {
  it('can be reopened by the program that writes to it', async () => {
    const { readEnd, writeEnd } = createPipe()
    spawnSync('sh', ['-c', 'echo one > /dev/stdout; echo two >> /dev/stdout'], {
      stdio: ['ignore', writeEnd, 'ignore'],
    })
    closeSync(writeEnd)
    expect(await text(readFrom(readEnd))).toBe('one\ntwo\n')
  })
})

describe('control groups', () => {
  const path = `remedium-test-${process.pid}/inner`
  const cgroups = createCgroups()

  it('can be joined, measured, killed and removed', async () => {
    cgroups.create(path)
    const script = 'echo $$; read go; while :; do :; done'
    const { readEnd, writeEnd } = createPipe()
    const { spawn } = await import('node:child_process')
    const child = spawn('sh', ['-c', script], { stdio: ['pipe', writeEnd, 'ignore'] })
    closeSync(writeEnd)
    readFrom(readEnd).resume()
    cgroups.join(path, child.pid!)
    cgroups.limitCpu(path, { cores: 0.2 })
    child.stdin!.end('go\n')
    const ended = new Promise((resolve) => child.once('exit', (_code, signal) => resolve(signal)))
    await expect.poll(() => cgroups.usage(path).throttledPeriods, { timeout: 5000 }).toBeGreaterThan(0)
    expect(cgroups.pids(`remedium-test-${process.pid}`)).toEqual([child.pid])
    expect(cgroups.remove(path)).toBe(false)
    cgroups.kill(`remedium-test-${process.pid}`)
    expect(await ended).toBe('SIGKILL')
    await expect.poll(() => cgroups.remove(`remedium-test-${process.pid}`)).toBe(true)
    expect(cgroups.exists(`remedium-test-${process.pid}`)).toBe(false)
  })
})
