/** Builds the OCI configuration of an isolated program. */
import type { Cgroups } from '#machine/linux'
import {
  MASKED_PATHS,
  type OciSpec,
  PROCESS_MOUNTS,
  READ_ONLY_PATHS,
  strictSeccompProfile,
} from '#machine/oci'
import { type ProgramView, viewMounts } from './program-view.ts'
import {
  boundedTerminals,
  HIDDEN_PATHS,
  limited,
  MAX_DESCRIPTORS,
  PERIOD_US,
  SANDBOX_USER,
  SHARES,
} from './sandbox-spec.ts'

export interface ProgramLimits {
  /** Includes its files, which are in memory. */
  readonly memoryBytes: number
  readonly processes: number
  /** The limit of one file, and of all files in each of the two writable folders. */
  readonly fileBytes: number
  readonly cores: number
}

export interface ProgramSpecParts {
  readonly command: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly view: ProgramView
  readonly limits: ProgramLimits
  readonly root: string
  readonly networkPath: string
  readonly cgroup: string
  readonly cgroups: Pick<Cgroups, 'version' | 'limitsSwap'>
}

export const programSpec = (parts: ProgramSpecParts): OciSpec => {
  const { command, environment, view, limits, root, cgroups } = parts
  const memory = limits.memoryBytes
  return {
    ociVersion: '1.0.2',
    process: {
      terminal: false,
      user: { uid: SANDBOX_USER, gid: SANDBOX_USER },
      args: command,
      env: Object.entries(environment).map(([name, value]) => `${name}=${value}`),
      cwd: view.folder,
      capabilities: { bounding: [], effective: [], permitted: [] },
      noNewPrivileges: true,
      // Killed first if the machine runs out of memory.
      oomScoreAdj: 1000,
      rlimits: [
        limited('RLIMIT_CORE', 0),
        limited('RLIMIT_FSIZE', limits.fileBytes),
        limited('RLIMIT_NOFILE', MAX_DESCRIPTORS),
      ],
    },
    root: { path: root, readonly: true },
    hostname: 'agent',
    mounts: [...viewMounts(root, view, limits.fileBytes), ...PROCESS_MOUNTS.map(boundedTerminals)],
    linux: {
      cgroupsPath: `/${parts.cgroup}`,
      resources: {
        devices: [{ allow: false, access: 'rwm' }],
        cpu: { shares: SHARES, quota: Math.round(limits.cores * PERIOD_US), period: PERIOD_US },
        memory: { limit: memory, ...(cgroups.limitsSwap() ? { swap: memory } : {}) },
        pids: { limit: limits.processes },
      },
      namespaces: [
        ...(['pid', 'ipc', 'uts', 'mount', 'cgroup'] as const).map((type) => ({ type })),
        { type: 'network', path: parts.networkPath },
      ],
      maskedPaths: [...MASKED_PATHS.filter((path) => path.startsWith('/proc')), ...HIDDEN_PATHS],
      readonlyPaths: READ_ONLY_PATHS,
      seccomp: strictSeccompProfile,
    },
  }
}
