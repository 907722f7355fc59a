/** Creates one pod with bare containers and access to them, in a separate network namespace. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import type { Container, Pod } from 'kubernetes-types/core/v1.d.ts'
import { createRealClock } from '#kit'
import { connectInside, createNetworkNamespace, type NetworkNamespace, runChecked } from '#machine/linux'
import type { Stored } from '#platform/kube/meta'
import type { ExecOptions, PodNetwork } from '#platform/kube/ports'
import { type ContainerAccess, createContainerAccess } from '../access/container-access.ts'
import type { ContainerRegister } from '../containers/container-instance.ts'
import { type BareContainer, startBareContainer } from './bare-container.ts'

export const POD_IP = '10.244.0.5'

export interface AccessWorld {
  readonly access: ContainerAccess
  readonly namespace: NetworkNamespace
  readonly pod: Stored<Pod>
  readonly folder: string
  /** Starts a container; another start with the same name is its next run. */
  start(container: Partial<Container> & { command: string[] }): Promise<BareContainer>
  /** Creates the folder of an emptyDir volume. */
  emptyDir(name: string): string
  close(): Promise<void>
}

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'box', namespace: 'default', uid: 'uid-1' },
  spec: { nodeName: 'node1', containers: [] },
  status: { podIP: POD_IP },
} as unknown as Stored<Pod>

const networkIn = (namespace: NetworkNamespace): PodNetwork => ({
  attachPod: (_pod, _node, reply) =>
    reply({ ok: true, value: { ip: POD_IP, namespacePath: namespace.path, resolvConf: '' } }),
  detachPod: (_uid, reply) => reply({ ok: true, value: undefined }),
  connectLocal: (_uid, port) => connectInside(namespace, '127.0.0.1', port),
  connectFromNode: (_node, host, port, signal) => connectInside(namespace, host, port, { signal }),
})

const registerOf = (runs: readonly BareContainer[]): ContainerRegister => {
  const runsNamed = (name: string): readonly BareContainer[] =>
    runs.filter(({ container }) => container.name === name)
  return {
    running: (_uid, name) => [runsNamed(name).at(-1)].find((each) => each?.pid !== undefined),
    latest: (_uid, name) => runsNamed(name).at(-1),
    previous: (_uid, name) => runsNamed(name).at(-2),
    byId: (id) => runs.find((each) => each.id === id),
    containersOf: () => [...new Map(runs.map((each) => [each.container.name, each])).values()],
    allRunning: () => runs.filter(({ pid }) => pid !== undefined),
  }
}

export const createAccessWorld = async (): Promise<AccessWorld> => {
  const folder = mkdtempSync(join(tmpdir(), 'access-'))
  const clock = createRealClock()
  const namespace = createNetworkNamespace()
  await runChecked('ip', ['link', 'set', 'lo', 'up'], { namespace })
  await runChecked('ip', ['addr', 'add', `${POD_IP}/32`, 'dev', 'lo'], { namespace })
  const runs: BareContainer[] = []
  const volumes = new Map<string, string>()
  const access = createContainerAccess({
    register: registerOf(runs),
    network: networkIn(namespace),
    clock,
    runcRoot: join(folder, 'runc'),
    marker: { REMEDIUM_CLUSTER: folder },
    folder,
    volumeFolders: () => ({ emptyDirs: volumes, persistent: volumes }),
  })
  return {
    access,
    namespace,
    pod,
    folder,
    async start(container) {
      const runFolder = join(folder, String(runs.length))
      mkdirSync(runFolder)
      const run = await startBareContainer({
        clock,
        folder: runFolder,
        container,
        networkNamespacePath: namespace.path,
        attempt: runs.length,
      })
      runs.push(run)
      return run
    },
    emptyDir(name) {
      const path = join(folder, `volume-${name}`)
      mkdirSync(path)
      volumes.set(name, path)
      return path
    },
    async close() {
      access.close()
      for (const run of runs) await run.remove()
      namespace.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export interface Collector {
  readonly target: Writable
  text(): string
}

/** A stream that collects the data written to it. */
export const createCollector = (): Collector => {
  const chunks: Buffer[] = []
  const target = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk)
      done()
    },
  })
  return { target, text: () => Buffer.concat(chunks).toString('utf8') }
}

/** Runs a command in the container `main` and waits for its exit. */
export const execIn = async (
  { access, pod: location }: AccessWorld,
  command: readonly string[],
  { input, ...options }: Partial<ExecOptions> & { input?: string } = {},
): Promise<{ exitCode: number; out: string; err: string }> => {
  const [out, err] = [createCollector(), createCollector()]
  const { exitCode } = await access.exec(location, 'main', {
    command,
    tty: false,
    stdout: out.target,
    stderr: err.target,
    signal: new AbortController().signal,
    ...(input === undefined ? {} : { stdin: Readable.from([Buffer.from(input)]) }),
    ...options,
  })
  return { exitCode, out: out.text(), err: err.text() }
}
