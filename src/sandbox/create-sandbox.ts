/**
 * A sandbox: programs that strangers wrote run in it as nobody, with their own files, processes and network, in which there
 * is the API server and nothing else. A folder `/work` stays from one run to the next.
 */
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createRealClock } from '../kit/index.ts'
import { createCgroups } from '../linux/index.ts'
import { makeSystemLayers } from '../oci/index.ts'
import { checkSandboxMachine, toMachineError } from './check-sandbox-machine.ts'
import { runInside } from './run-inside.ts'
import { claimHome, type SandboxHome, sweepSandboxes } from './sandbox-home.ts'
import { DEFAULT_LIMITS, type SandboxLimits } from './sandbox-limits.ts'
import type { SandboxOutcome, SandboxRequest } from './sandbox-request.ts'
import { FOLDERS, SANDBOX_USER } from './sandbox-spec.ts'
import { parseServerAddress, type ServerAddress, toHostsFile } from './server-address.ts'
import { createWorkNamespace, type WorkNamespace } from './work-namespace.ts'

export interface SandboxOptions {
  /** The URL of the API server: all that can be reached from inside, at this very address. */
  readonly server: string
  readonly limits?: Partial<SandboxLimits>
  /** Programs of this machine by the names that they have inside, ahead of those of the system. */
  readonly tools?: Readonly<Record<string, string>>
  /** `runc`, or another that takes the same arguments. */
  readonly program?: string
}

export interface Sandbox {
  /**
   * Resolves however the program ended, with nothing left of it but its files in `/work`; rejects only where the machine is
   * at fault, or the sandbox is closed.
   */
  run(request: SandboxRequest): Promise<SandboxOutcome>
  /** Ends what runs, and leaves nothing. */
  close(): Promise<void>
}

interface Furnished {
  readonly home: SandboxHome
  readonly work: string
  readonly namespace: WorkNamespace
  readonly system: ReturnType<typeof makeSystemLayers>
  readonly stateFolder: string
}

/** Where people, and models that learned from them, look for one: all lead to the run's own. */
const KUBECONFIGS = ['/etc/rancher/k3s/k3s.yaml', '/etc/kubernetes/admin.conf', '/root/.kube/config']

const linkKubeconfigs = (root: string): void => {
  for (const path of KUBECONFIGS) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    symlinkSync(join(FOLDERS.input, 'kubeconfig'), join(root, path))
  }
  chmodSync(join(root, 'root'), 0o755)
}

const makeSystem = (home: SandboxHome, address: ServerAddress, tools: readonly string[]) => {
  const system = makeSystemLayers(home.place, 'sandbox')
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

const furnish = async (
  home: SandboxHome,
  address: ServerAddress,
  limits: SandboxLimits,
  tools: readonly string[],
): Promise<Furnished> => {
  const work = join(home.folder, 'work')
  const stateFolder = join(home.folder, 'state')
  const system = makeSystem(home, address, tools)
  for (const folder of [work, stateFolder, join(home.folder, 'runs')]) mkdirSync(folder, { mode: 0o700 })
  const namespace = await createWorkNamespace(work, { bytes: limits.workBytes, user: SANDBOX_USER })
  return { home, work, namespace, system, stateFolder }
}

const open = async (
  address: ServerAddress,
  limits: SandboxLimits,
  tools: readonly string[],
): Promise<Furnished> => {
  let home: SandboxHome | undefined
  try {
    await sweepSandboxes()
    home = claimHome()
    return await furnish(home, address, limits, tools)
  } catch (error) {
    await home?.remove()
    throw toMachineError(error)
  }
}

/** Rejects with `tool-missing` or `not-permitted` where the machine lacks what is needed. */
export const createSandbox = async (options: SandboxOptions): Promise<Sandbox> => {
  const { server, tools = {}, program = 'runc' } = options
  const address = parseServerAddress(server)
  const usual = { ...DEFAULT_LIMITS, ...options.limits }
  checkSandboxMachine()
  const { home, work, namespace, system, stateFolder } = await open(address, usual, Object.keys(tools))
  const clock = createRealClock({ keepsAlive: true })
  const cgroups = createCgroups()
  const closing = new AbortController()
  const running = new Set<Promise<unknown>>()
  let runs = 0

  const begin = (request: SandboxRequest): Promise<SandboxOutcome> => {
    runs += 1
    const id = `run-${runs}`
    const signals = [closing.signal, ...(request.signal === undefined ? [] : [request.signal])]
    return runInside({
      id,
      address,
      work,
      system,
      tools,
      program,
      cgroups,
      clock,
      stateFolder,
      request: { ...request, signal: AbortSignal.any(signals) },
      limits: { ...usual, ...request.limits },
      folder: join(home.folder, 'runs', id),
      mountNamespace: namespace.path,
      cgroup: `${home.cgroup}/${id}`,
      marker: home.marker,
    })
  }
  return {
    async run(request) {
      closing.signal.throwIfAborted()
      const run = begin(request)
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
