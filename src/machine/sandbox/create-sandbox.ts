/**
 * Runs untrusted programs as the user nobody, with separate files, processes and network. The network contains only the
 * API server. The folder `/work` is kept between runs.
 */
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { createRealClock, drawSecret } from '#kit'
import { createCgroups } from '#machine/linux'
import { createSystemLayers } from '#machine/oci'
import { checkSandboxMachine, toMachineError } from './check-sandbox-machine.ts'
import { runInside } from './run-inside.ts'
import { createHome, type SandboxHome, sweepSandboxes } from './sandbox-home.ts'
import { DEFAULT_LIMITS, type SandboxLimits } from './sandbox-limits.ts'
import type { SandboxOutcome, SandboxRequest } from './sandbox-request.ts'
import { FOLDERS, SANDBOX_USER } from './sandbox-spec.ts'
import { parseServerAddress, type ServerAddress, toHostsFile } from './server-address.ts'
import { createWorkNamespace, type WorkNamespace } from './work-namespace.ts'

export interface SandboxOptions {
  /** The URL of the API server, the only reachable address in the sandbox. */
  readonly server: string
  /** Connects to the API server; to the address of `server` by default. */
  readonly dial?: (() => Promise<Socket>) | undefined
  readonly limits?: Partial<SandboxLimits>
  /** Programs of this machine by their names in the sandbox; they take precedence over those of the system. */
  readonly tools?: Readonly<Record<string, string>>
  /** `runc` or a compatible program. */
  readonly program?: string
}

export interface Sandbox {
  /**
   * Resolves with any outcome of the program, once everything but its files in `/work` is removed. Rejects only if the
   * machine fails or the sandbox is closed.
   */
  run(request: SandboxRequest): Promise<SandboxOutcome>
  /** Stops all runs and removes the sandbox. */
  close(): Promise<void>
}

interface OpenSandbox {
  readonly home: SandboxHome
  readonly work: string
  readonly namespace: WorkNamespace
  readonly system: ReturnType<typeof createSystemLayers>
  readonly stateFolder: string
}

/** Usual kubeconfig paths, which users and language models try; all link to the kubeconfig of the run. */
const KUBECONFIGS = ['/etc/rancher/k3s/k3s.yaml', '/etc/kubernetes/admin.conf', '/root/.kube/config']

const linkKubeconfigs = (root: string): void => {
  for (const path of KUBECONFIGS) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    symlinkSync(join(FOLDERS.input, 'kubeconfig'), join(root, path))
  }
  chmodSync(join(root, 'root'), 0o755)
}

const createSystem = (home: SandboxHome, address: ServerAddress, tools: readonly string[]) => {
  const system = createSystemLayers(home.systemName, 'sandbox')
  const mask = process.umask(0o022)
  try {
    for (const folder of [FOLDERS.work, FOLDERS.input]) mkdirSync(join(system.root, folder))
    for (const name of tools) writeFileSync(join(system.root, FOLDERS.tools, name), '')
    writeFileSync(join(system.root, 'etc/hosts'), toHostsFile(address))
    writeFileSync(join(system.root, 'etc/hostname'), 'sandbox\n')
    linkKubeconfigs(system.root)
  } finally {
    process.umask(mask)
  }
  return system
}

const createParts = async (
  home: SandboxHome,
  address: ServerAddress,
  limits: SandboxLimits,
  tools: readonly string[],
): Promise<OpenSandbox> => {
  const work = join(home.folder, 'work')
  const stateFolder = join(home.folder, 'state')
  const system = createSystem(home, address, tools)
  for (const folder of [work, stateFolder, join(home.folder, 'runs')]) mkdirSync(folder, { mode: 0o700 })
  const namespace = await createWorkNamespace(work, { bytes: limits.workBytes, user: SANDBOX_USER })
  return { home, work, namespace, system, stateFolder }
}

const openSandbox = async (
  address: ServerAddress,
  limits: SandboxLimits,
  tools: readonly string[],
): Promise<OpenSandbox> => {
  let home: SandboxHome | undefined
  try {
    await sweepSandboxes()
    home = createHome()
    return await createParts(home, address, limits, tools)
  } catch (error) {
    await home?.remove()
    throw toMachineError(error)
  }
}

/** Rejects with `tool-missing` or `not-permitted` if the machine lacks a requirement. */
export const createSandbox = async (options: SandboxOptions): Promise<Sandbox> => {
  const { server, dial, tools = {}, program = 'runc' } = options
  const address = parseServerAddress(server)
  const defaultLimits = { ...DEFAULT_LIMITS, ...options.limits }
  checkSandboxMachine()
  const { home, work, namespace, system, stateFolder } = await openSandbox(
    address,
    defaultLimits,
    Object.keys(tools),
  )
  const clock = createRealClock({ keepsAlive: true })
  const cgroups = createCgroups()
  const closing = new AbortController()
  const running = new Set<Promise<unknown>>()

  const startRun = (request: SandboxRequest): Promise<SandboxOutcome> => {
    // Programs see the name in their list of mounts: it must not count the runs.
    const id = `run-${drawSecret()}`
    const signals = [closing.signal, ...(request.signal === undefined ? [] : [request.signal])]
    return runInside({
      id,
      address,
      dial,
      work,
      system,
      tools,
      program,
      cgroups,
      clock,
      stateFolder,
      request: { ...request, signal: AbortSignal.any(signals) },
      limits: { ...defaultLimits, ...request.limits },
      folder: join(home.folder, 'runs', id),
      mountNamespace: namespace.path,
      cgroup: `${home.cgroup}/${id}`,
      marker: home.marker,
    })
  }
  return {
    async run(request) {
      closing.signal.throwIfAborted()
      const run = startRun(request)
      running.add(run)
      return run.finally(() => running.delete(run))
    },
    async close() {
      closing.abort(new Error('the sandbox is closed'))
      await Promise.allSettled(running)
      namespace.close()
      await home.remove()
    },
  }
}
