/** Creates a runc container with the programs of this machine, Node, and one volume at `/data`. */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { PodProcessView } from '#platform/kube/ports'

export interface Execution {
  exitCode: number
  stdout: string
  stderr: string
}

export interface TestContainer {
  readonly pid: number
  /** The path of the volume on this machine. */
  readonly volume: string
  readonly view: PodProcessView
  /** Runs a JavaScript program in the container. */
  run(script: string): Promise<Execution>
  /** Starts a JavaScript program with piped streams. */
  start(script: string): ReturnType<typeof spawn>
  mounts(): string
  kill(): void
  remove(): void
}

const bindMount = (source: string, destination: string, ...options: string[]) => ({
  destination,
  source,
  type: 'bind',
  options: ['rbind', ...options],
})

const configuration = (volume: string) => ({
  ociVersion: '1.0.2',
  process: {
    user: { uid: 0, gid: 0 },
    args: ['/usr/bin/sleep', '600'],
    env: ['PATH=/usr/bin:/bin'],
    cwd: '/',
    capabilities: Object.fromEntries(
      ['bounding', 'effective', 'permitted'].map((set) => [
        set,
        ['CAP_CHOWN', 'CAP_DAC_OVERRIDE', 'CAP_FOWNER', 'CAP_FSETID', 'CAP_SETUID', 'CAP_SETGID', 'CAP_KILL'],
      ]),
    ),
  },
  root: { path: 'root' },
  mounts: [
    { destination: '/proc', type: 'proc', source: 'proc' },
    { destination: '/dev', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'mode=755'] },
    ...['/usr', '/bin', '/lib', '/lib64'].filter(existsSync).map((path) => bindMount(path, path, 'ro')),
    bindMount(process.execPath, '/node', 'ro'),
    bindMount(volume, '/data'),
  ],
  linux: { namespaces: ['pid', 'mount', 'ipc', 'uts', 'network'].map((type) => ({ type })) },
})

export const createTestContainer = (): TestContainer => {
  const bundle = mkdtempSync(join(tmpdir(), 'remedium-io-'))
  const volume = join(bundle, 'volume')
  const id = `io-test-${bundle.slice(-6)}`
  for (const folder of [volume, join(bundle, 'root')]) mkdirSync(folder)
  symlinkSync('/data', join(bundle, 'root', 'link'))
  writeFileSync(join(bundle, 'config.json'), JSON.stringify(configuration(volume)))
  const runc = (...args: string[]) =>
    spawnSync('runc', ['--root', join(bundle, 'state'), ...args], { stdio: 'ignore', timeout: 20_000 })
  runc('run', '--detach', '--bundle', bundle, '--pid-file', join(bundle, 'pid'), id)
  const pid = Number(readFileSync(join(bundle, 'pid'), 'utf8'))
  const start: TestContainer['start'] = (script) =>
    spawn('nsenter', [`--target=${pid}`, '--mount', '--pid', '/node', '--input-type=module', '-e', script], {
      stdio: ['pipe', 'pipe', 'pipe'],
      cwd: '/',
    })
  return {
    pid,
    volume,
    view: {
      uid: 'u1',
      ip: '10.244.0.2',
      nodeName: 'node1',
      networkNamespacePath: `/proc/${pid}/ns/net`,
      containers: [{ name: 'app', id, pid, cgroup: '' }],
    },
    async run(script) {
      const child = start(script)
      const exit = new Promise<number>((resolve) => child.once('close', (code) => resolve(code ?? 137)))
      const [stdout, stderr, exitCode] = await Promise.all([text(child.stdout!), text(child.stderr!), exit])
      return { exitCode, stdout, stderr }
    },
    start,
    mounts: () => readFileSync(`/proc/${pid}/mountinfo`, 'utf8'),
    kill: () => process.kill(pid, 'SIGKILL'),
    remove() {
      runc('delete', '--force', id)
      rmSync(bundle, { recursive: true, force: true })
    },
  }
}
