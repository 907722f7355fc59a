/** Tests the commands for clusters of real containers, as a user runs them. Needs root. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { kubectls } from './tools.ts'

const REMEDIUM = join(import.meta.dirname, '..', 'remedium')

let folder: string
let state: string
const children: ChildProcess[] = []

const environment = (): NodeJS.ProcessEnv => ({ ...process.env, REMEDIUM_STATE: state, HOME: folder })

const remedium = (...args: string[]): { status: number | null; stdout: string; stderr: string } =>
  spawnSync(REMEDIUM, args, { cwd: folder, env: environment(), encoding: 'utf8', timeout: 60_000 })

const runForJson = (...args: string[]): any => {
  const { status, stdout, stderr } = remedium(...args, '--json')
  if (status !== 0) throw new Error(`remedium ${args.join(' ')}: ${stdout}${stderr}`)
  return JSON.parse(stdout)
}

const kubectl = (kubeconfig: string, ...args: string[]): string =>
  execFileSync(kubectls().at(-1)!.path, ['--kubeconfig', kubeconfig, ...args], {
    env: environment(),
    encoding: 'utf8',
  })

const exitCodeOf = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve) => child.once('exit', (code) => resolve(code)))

const spawnClusterUp = (...args: string[]): ChildProcess => {
  const child = spawn(REMEDIUM, ['cluster', 'up', ...args], {
    cwd: folder,
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.push(child)
  return child
}

/** Kills the process of the only cluster. */
const killEngine = (): void => void process.kill(runForJson('cluster', 'ls').clusters[0].pid, 'SIGKILL')

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'remedium-local-'))
  state = join(folder, 'state')
})
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  remedium('cluster', 'down', '--all')
  remedium('cluster', 'prune')
  rmSync(folder, { recursive: true, force: true })
})

describe('a cluster in the background', () => {
  it('runs a system, is listed and reset, and leaves nothing after down', async () => {
    const up = runForJson(
      'cluster',
      'up',
      '--system',
      'simple-micro',
      '--name',
      'one',
      '--kubeconfig',
      'mine',
    )
    expect(up).toMatchObject({ name: 'one', system: 'simple-micro', kubeconfig: join(folder, 'mine') })
    expect(statSync(up.kubeconfig).mode & 0o777).toBe(0o600)
    const [{ url }] = up.entryPoints
    expect(await (await fetch(url)).json()).toMatchObject({ msg: 'Hello', time: expect.stringMatching(/Z$/) })

    const { clusters } = runForJson('cluster', 'ls')
    expect(clusters).toEqual([
      expect.objectContaining({ name: 'one', state: 'ready', pods: 2, server: up.server }),
    ])
    expect(remedium('cluster', 'ls').stdout).toMatch(/^NAME .*\none .* simple-micro +ready /)

    kubectl(up.kubeconfig, '-n', 'simple-micro', 'delete', 'service', 'time-service')
    kubectl(up.kubeconfig, '-n', 'simple-micro', 'create', 'configmap', 'extra')
    expect((await fetch(url)).status).toBe(500)
    const report = runForJson('cluster', 'reset', 'one')
    expect(report).toMatchObject({
      deleted: ['ConfigMap simple-micro/extra'],
      recreated: ['Service simple-micro/time-service'],
      updated: [],
    })
    expect((await fetch(url)).status).toBe(200)

    expect(runForJson('cluster', 'down', 'one')).toEqual({ stopped: ['one'] })
    expect(existsSync(up.kubeconfig)).toBe(false)
    expect(readdirSync(state)).toEqual([])
    expect(runForJson('cluster', 'ls')).toEqual({ clusters: [] })
  })

  it('has nodes that can be cut off, silenced and restored', async () => {
    const { kubeconfig, entryPoints } = runForJson(
      'cluster',
      'up',
      '--system',
      'simple-micro',
      '--name',
      'one',
    )
    const selection = [
      '-n',
      'simple-micro',
      '-l',
      'app=hello-service',
      '-o',
      'jsonpath={.items[0].spec.nodeName}',
    ]
    const node = kubectl(kubeconfig, 'get', 'pods', ...selection)
    const isServed = (): Promise<boolean> =>
      fetch(entryPoints[0].url, { signal: AbortSignal.timeout(5000) }).then(
        ({ ok }) => ok,
        () => false,
      )
    const setState = (state: string): unknown => runForJson('cluster', 'node', 'one', node, '--state', state)
    expect(await isServed()).toBe(true)
    expect(setState('cut-off')).toEqual({ cluster: 'one', node, state: 'cut-off' })
    expect(await isServed()).toBe(false)
    setState('silent')
    expect(await isServed(), 'containers keep running').toBe(true)
    setState('cut-off')
    setState('ready')
    expect(await isServed()).toBe(true)
    setState('cut-off')
    runForJson('cluster', 'reset', 'one')
    expect(await isServed()).toBe(true)
    const { stderr } = remedium('cluster', 'node', 'one', 'node9', '--state', 'ready')
    expect(stderr).toContain('There is no node "node9". The nodes are: node1, node2, node3.')
  })

  it('runs beside another one with a different name', () => {
    const [first, second] = [
      runForJson('cluster', 'up', '--nodes', '1'),
      runForJson('cluster', 'up', '--name', 'two'),
    ]
    expect(kubectl(first.kubeconfig, 'get', 'nodes', '-o', 'name').trim()).toBe('node/node1')
    expect(kubectl(second.kubeconfig, 'get', 'nodes', '-o', 'name').trim().split('\n')).toHaveLength(3)
    expect(remedium('cluster', 'up', '--name', 'two').stderr).toContain('The cluster "two" already exists.')
    expect(runForJson('cluster', 'down', '--all').stopped.toSorted()).toEqual([first.name, 'two'].toSorted())
    expect(readdirSync(state)).toEqual([])
  })

  it('is removed when its start is interrupted', async () => {
    const child = spawnClusterUp('--system', 'simple-micro')
    await new Promise<void>((resolve) => {
      child.stderr!.on('data', (text) => String(text).includes('waiting for') && resolve())
    })
    expect(readdirSync(join(state, 'clusters'))).not.toEqual([])
    const exitCode = exitCodeOf(child)
    child.kill('SIGINT')
    expect(await exitCode).toBe(130)
    expect(readdirSync(state)).toEqual([])
  })

  it.each([200, 350, 500, 650, 800])(
    'is removed when its start is interrupted after %i ms',
    async (delayMs) => {
      const child = spawn(REMEDIUM, ['cluster', 'up', '--system', 'simple-micro'], {
        cwd: folder,
        env: environment(),
        stdio: 'ignore',
        detached: true,
      })
      children.push(child)
      const exitCode = exitCodeOf(child)
      await new Promise((resolve) => setTimeout(resolve, delayMs))
      // A terminal interrupts the whole process group.
      process.kill(-child.pid!, 'SIGINT')
      await exitCode
      expect(existsSync(state) ? readdirSync(state) : []).toEqual([])
    },
  )

  it('is removed by the next prune when its process was killed', () => {
    const { id, name } = runForJson('cluster', 'up', '--system', 'simple-micro')
    killEngine()
    expect(remedium('cluster', 'ls').stdout).toContain('leftover')
    expect(runForJson('cluster', 'prune')).toEqual({ removed: [name] })
    expect(readdirSync(state)).toEqual([])
    expect(existsSync(`/sys/fs/cgroup/memory/remedium/${id}`)).toBe(false)
  })

  it('removes the kubeconfig that it wrote, even after a kill', () => {
    const startCluster = (): { kubeconfig: string; name: string } =>
      runForJson('cluster', 'up', '--nodes', '1', '--kubeconfig', 'mine')
    const { kubeconfig, name } = startCluster()
    killEngine()
    expect(existsSync(kubeconfig)).toBe(true)
    expect(runForJson('cluster', 'prune')).toEqual({ removed: [name] })
    expect(existsSync(kubeconfig)).toBe(false)
    startCluster()
    killEngine()
    startCluster()
    expect(kubectl(kubeconfig, 'get', 'nodes', '-o', 'name').trim()).toBe('node/node1')
  })

  it('keeps a kubeconfig that existed before or was changed', () => {
    const mine = join(folder, 'mine')
    const startCluster = (): { status: number | null; stderr: string } =>
      remedium('cluster', 'up', '--nodes', '1', '--kubeconfig', 'mine')
    const overwrite = (): void => writeFileSync(mine, 'another kubeconfig')
    overwrite()
    const { status, stderr } = startCluster()
    expect(status).toBe(2)
    expect(stderr).toContain('The kubeconfig cannot be written to')
    expect(stderr, 'rejected before anything was started').not.toContain('starting the cluster')
    for (const stop of [() => remedium('cluster', 'down', '--all'), killEngine]) {
      rmSync(mine)
      expect(startCluster().status).toBe(0)
      overwrite()
      stop()
      remedium('cluster', 'prune')
      expect(readdirSync(state)).toEqual([])
      expect(readFileSync(mine, 'utf8')).toBe('another kubeconfig')
    }
  })

  it('reports that its process was killed during the start, and leaves nothing', async () => {
    const child = spawnClusterUp('--system', 'simple-micro')
    let text = ''
    await new Promise<void>((resolve) => {
      child.stderr!.on('data', (chunk) => {
        text += chunk
        if (text.includes('waiting for')) resolve()
      })
    })
    const exitCode = exitCodeOf(child)
    killEngine()
    expect(await exitCode).toBe(1)
    expect(text).toContain('remedium: The process of the cluster was ended by SIGKILL before it was ready.')
    expect(readdirSync(state)).toEqual([])
  })

  it('is removed by down when its process was killed, and rejects other commands', () => {
    runForJson('cluster', 'up', '--nodes', '1', '--name', 'one')
    killEngine()
    const { status, stderr } = remedium('cluster', 'reset', 'one')
    expect(status).toBe(1)
    expect(stderr).toContain('The process of the cluster "one" has ended. Remove its leftovers with')
    expect(runForJson('cluster', 'down', 'one')).toEqual({ stopped: ['one'] })
    expect(readdirSync(state)).toEqual([])
  })

  it('reports that its process was killed while a command waits', async () => {
    runForJson('cluster', 'up', '--nodes', '1', '--name', 'one')
    const { pid } = runForJson('cluster', 'ls').clusters[0]
    // The stopped process receives the command, and never answers.
    process.kill(pid, 'SIGSTOP')
    const child = spawn(REMEDIUM, ['cluster', 'reset', 'one'], { cwd: folder, env: environment() })
    children.push(child)
    let text = ''
    child.stderr.on('data', (chunk) => {
      text += chunk
    })
    const closed = new Promise((resolve) => child.once('close', resolve))
    await new Promise((resolve) => setTimeout(resolve, 1500))
    process.kill(pid, 'SIGKILL')
    expect(await closed).toBe(1)
    expect(text).toContain('The process of the cluster "one" has ended.')
  })
})

describe('remedium cluster', () => {
  it.each([
    [['cluster', 'up', '--system', 'none'], 'There is no system "none". The systems are: '],
    [['cluster', 'up', '--system', 'simple-mikro'], 'Did you mean "simple-micro"?'],
    [['cluster', 'up', '--kubeconfig', 'no/such/folder/file'], 'The kubeconfig cannot be written to'],
    [['cluster', 'up', '--port', '70000'], '--port must be 0 to 65535, but "70000" was given.'],
    [['cluster', 'up', '--name', 'a b'], '"a b" is not a valid cluster name.'],
    [['cluster', 'down'], 'Name the clusters to stop, or give --all.'],
    [['cluster', 'down', 'none'], 'There is no cluster "none". No cluster is running.'],
    [['cluster', 'reset', 'none'], 'There is no cluster "none".'],
    [['cluster', 'node', 'none', 'node1', '--state', 'ready'], 'There is no cluster "none".'],
    [['cluster', 'node', 'none'], 'Name one cluster and one of its nodes.'],
    [['cluster', 'node', 'none', 'node1'], '--state is required. The states are: ready, silent'],
    [
      ['cluster', 'node', 'none', 'node1', '--state', 'ill'],
      '--state must be ready, silent or cut-off, but "ill" was given.',
    ],
  ])('rejects %j with one sentence', (args, sentence) => {
    const { status, stderr } = remedium(...args)
    expect(status).toBe(2)
    expect(stderr.trim().split('\n').at(-1)).toContain(sentence)
    expect(existsSync(state) ? readdirSync(state) : []).toEqual([])
  })
})

describe('a cluster in the foreground', () => {
  it('ends with Ctrl-C, and keeps its audit log', async () => {
    const child = spawnClusterUp('--foreground', '--json', '--audit-log', 'audit.log')
    let text = ''
    const up = await new Promise<any>((resolve) => {
      child.stdout!.on('data', (chunk) => {
        text += chunk
        if (text.endsWith('}\n')) resolve(JSON.parse(text))
      })
    })
    kubectl(up.kubeconfig, 'create', 'namespace', 'shop')
    const exitCode = exitCodeOf(child)
    child.kill('SIGINT')
    expect(await exitCode).toBe(0)
    expect(readdirSync(state)).toEqual([])
    expect(readFileSync(join(folder, 'audit.log'), 'utf8')).toContain('"resource":"namespaces"')
  })
})
