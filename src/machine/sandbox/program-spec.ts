/** Builds the OCI configuration of an isolated program. */
import type { Cgroups } from '#machine/linux'
import {
  MASKED_PATHS,
  type OciMount,
  type OciSpec,
  PROCESS_MOUNTS,
  READ_ONLY_PATHS,
  strictSeccompProfile,
} from '#machine/oci'
import { type ProgramView, viewMounts } from './program-view.ts'
import {
  CPU_PERIOD_US,
  CPU_SHARES,
  HIDDEN_PATHS,
  limitTerminals,
  MAX_DESCRIPTORS,
  SANDBOX_USER,
  toRlimit,
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
  /** The files of /proc that are replaced. */
  readonly kernelFiles: readonly OciMount[]
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
        toRlimit('RLIMIT_CORE', 0),
        toRlimit('RLIMIT_FSIZE', limits.fileBytes),
        toRlimit('RLIMIT_NOFILE', MAX_DESCRIPTORS),
      ],
    },
    root: { path: root, readonly: true },
    hostname: 'agent',
    mounts: [
      ...viewMounts(root, view, limits.fileBytes),
      ...PROCESS_MOUNTS.map(limitTerminals),
      ...parts.kernelFiles,
    ],
    linux: {
      cgroupsPath: `/${parts.cgroup}`,
      resources: {
        devices: [{ allow: false, access: 'rwm' }],
        cpu: { shares: CPU_SHARES, quota: Math.round(limits.cores * CPU_PERIOD_US), period: CPU_PERIOD_US },
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
