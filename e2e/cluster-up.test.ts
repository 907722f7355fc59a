/** Tests `remedium cluster up --engine sim` as a user runs it. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { kubectls } from './tools.ts'

const REMEDIUM = join(import.meta.dirname, '..', 'remedium')

let folder: string
const children: ChildProcess[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'remedium-up-'))
})
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

const startCluster = async (...args: string[]): Promise<{ child: ChildProcess; lines: string[] }> => {
  const child = spawn(REMEDIUM, ['cluster', 'up', '--engine', 'sim', ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  const lines: string[] = []
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stdout! }).on('line', (line) => {
      lines.push(line)
      if (line.startsWith('Press Ctrl-C')) resolve()
    })
    child.once('exit', (code) => reject(new Error(`exited with code ${code}`)))
  })
  return { child, lines }
}

const kubectl = (...args: string[]): string =>
  execFileSync(kubectls().at(-1)!.path, ['--kubeconfig', join(folder, 'remedium.kubeconfig'), ...args], {
    env: { ...process.env, HOME: folder },
    encoding: 'utf8',
  })

const exitCodeOf = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve) => child.once('exit', (code) => resolve(code)))

describe('remedium cluster up --engine sim', () => {
  it('starts a cluster that kubectl can use, and removes it on SIGTERM', async () => {
    const { child, lines } = await startCluster('--nodes', '2', '--audit-log', 'audit.log')
    expect(lines[0]).toMatch(/^The API server listens at https:\/\/127\.0\.0\.1:\d+\.$/)
    expect(statSync(join(folder, 'remedium.kubeconfig')).mode & 0o777).toBe(0o600)
    expect(kubectl('get', 'nodes', '-o', 'name').trim().split('\n')).toEqual(['node/node1', 'node/node2'])
    kubectl('create', 'deployment', 'web', '--image=nginx:1')
    kubectl('rollout', 'status', 'deployment/web', '--timeout=30s')
    kubectl('create', 'job', 'once', '--image=busybox:1', '--', 'sh', '-c', 'echo done; exit 0')
    kubectl('wait', '--for=condition=complete', 'job/once', '--timeout=30s')
    expect(kubectl('logs', 'job/once').trim()).toBe('done')
    const exitCode = exitCodeOf(child)
    child.kill('SIGTERM')
    expect(await exitCode).toBe(0)
    const audit = readFileSync(join(folder, 'audit.log'), 'utf8').trim().split('\n')
    expect(audit.map((line) => JSON.parse(line).objectRef.resource)).toContain('deployments')
    expect(existsSync(join(folder, 'remedium.kubeconfig'))).toBe(false)
  })

  it('runs two clusters at the same time', async () => {
    await startCluster()
    const second = await startCluster('--kubeconfig', 'second.kubeconfig')
    expect(second.lines[0]).not.toBe('')
    expect(kubectl('get', 'namespaces', '-o', 'name')).toContain('namespace/default')
    expect(
      kubectl('--kubeconfig', join(folder, 'second.kubeconfig'), 'get', 'nodes', '-o', 'name'),
    ).toContain('node3')
  })

  it.each([
    [['--engine', 'none'], '--engine must be local or sim, but "none" was given.'],
    [['--nodes', '0'], '--nodes must be 1 to 200, but "0" was given.'],
    [['--kubeconfig', 'no/such/folder/file'], 'The kubeconfig cannot be written to'],
    [['--kubeconfig', 'mine'], 'The kubeconfig cannot be written to'],
    [['--audit-log', 'no/such/folder/file'], 'The audit log cannot be written to'],
    [['--port', '70000'], '--port must be 0 to 65535, but "70000" was given.'],
  ])('rejects %j with one sentence', (args, message) => {
    writeFileSync(join(folder, 'mine'), 'another kubeconfig')
    const { status, stderr } = spawnSync(REMEDIUM, ['cluster', 'up', '--engine', 'sim', ...args], {
      cwd: folder,
      encoding: 'utf8',
      timeout: 20_000,
    })
    expect(status).toBe(2)
    expect(stderr).toContain(message)
    expect(readFileSync(join(folder, 'mine'), 'utf8')).toBe('another kubeconfig')
  })
})
