/** Builds the OCI configuration of a sandbox: the minimum that a shell, kubectl and Ansible need. */
import { join } from 'node:path'
import type { Cgroups } from '#machine/linux'
import {
  etcMounts,
  MASKED_PATHS,
  type OciMount,
  type OciSpec,
  PROCESS_MOUNTS,
  PROGRAM_FOLDER,
  READ_ONLY_PATHS,
  type SystemLayers,
  strictSeccompProfile,
} from '#machine/oci'
import { COUNTER_PATHS } from './kernel-files.ts'
import type { SandboxLimits } from './sandbox-limits.ts'
import type { SandboxRequest } from './sandbox-request.ts'

/** The user nobody, which owns no file of the machine. */
export const SANDBOX_USER = 65_534
/** Folders in the sandbox; the root filesystem must contain them. */
export const FOLDERS = { work: '/work', input: '/input', tools: `${PROGRAM_FOLDER}/bin` }

const SEARCH_PATH = `${FOLDERS.tools}:/usr/sbin:/usr/bin:/sbin:/bin`
export const MAX_DESCRIPTORS = 1024
export const MAX_TEMPORARY_FILES = 20_000
const MAX_TERMINALS = 16
export const CPU_PERIOD_US = 100_000
/** Half of the default CPU weight. */
export const CPU_SHARES = 512

/** Files with information about the machine that programs do not need. */
export const HIDDEN_PATHS = [
  ...COUNTER_PATHS,
  ...[
    '/proc/cmdline',
    '/proc/config.gz',
    '/proc/diskstats',
    '/proc/kallsyms',
    '/proc/modules',
    '/proc/pressure',
  ],
  ...['/proc/partitions', '/proc/swaps', '/proc/sysvipc', '/proc/tty', '/proc/vmallocinfo', '/proc/zoneinfo'],
  ...[
    '/proc/kpagecount',
    '/proc/kpageflags',
    '/proc/kpagecgroup',
    '/proc/slabinfo',
    '/proc/iomem',
    '/proc/ioports',
  ],
]

export interface SandboxSpecParts {
  readonly request: SandboxRequest
  readonly limits: SandboxLimits
  readonly system: SystemLayers
  /** Folders of the machine: the work folder, and the input files of this run. */
  readonly work: string
  readonly input: string
  /** The files of /proc that are replaced. */
  readonly kernelFiles: readonly OciMount[]
  /** Programs of the machine by their names in the sandbox. */
  readonly tools: Readonly<Record<string, string>>
  readonly networkPath: string
  readonly cgroup: string
  readonly cgroups: Pick<Cgroups, 'version' | 'limitsSwap'>
}

export const bindMount = (source: string, destination: string, ...options: string[]): OciMount => ({
  destination,
  type: 'bind',
  source,
  options: ['bind', 'rprivate', 'nosuid', 'nodev', ...options],
})

/** The programs and libraries of the machine, with the layer that hides local files. */
const systemMounts = ({ overlays }: SystemLayers): OciMount[] =>
  overlays.map(({ name, lower }) =>
    lower.includes(':')
      ? {
          destination: `/${name}`,
          type: 'overlay',
          source: 'overlay',
          options: [`lowerdir=${lower}`, 'ro', 'nosuid', 'nodev'],
        }
      : bindMount(lower, `/${name}`, 'ro'),
  )

/** Limits the pseudo-terminals of a sandbox, because the machine limits their total number. */
export const limitTerminals = (mount: OciMount): OciMount =>
  mount.type === 'devpts' ? { ...mount, options: [...mount.options, `max=${MAX_TERMINALS}`] } : mount

const mountsOf = ({ system, work, input, kernelFiles, tools, limits }: SandboxSpecParts): OciMount[] => [
  ...systemMounts(system),
  ...etcMounts().map((mount) => ({ ...mount, options: [...mount.options, 'nosuid', 'nodev', 'noexec'] })),
  ...PROCESS_MOUNTS.map(limitTerminals),
  ...kernelFiles,
  {
    destination: '/tmp',
    type: 'tmpfs',
    source: 'tmpfs',
    options: [
      ...['nosuid', 'nodev', 'mode=1777', `size=${limits.temporaryBytes}`],
      `nr_inodes=${MAX_TEMPORARY_FILES}`,
    ],
  },
  bindMount(work, FOLDERS.work),
  bindMount(input, FOLDERS.input, 'ro', 'noexec'),
  ...Object.entries(tools).map(([name, path]) => bindMount(path, join(FOLDERS.tools, name), 'ro')),
]

const environmentOf = ({ environment }: SandboxRequest): string[] =>
  Object.entries({
    PATH: SEARCH_PATH,
    HOME: FOLDERS.work,
    LANG: 'C.UTF-8',
    TMPDIR: '/tmp',
    USER: 'nobody',
    ...environment,
  }).map(([name, value]) => `${name}=${value}`)

export const toRlimit = (type: string, value: number) => ({ type, hard: value, soft: value })

export const sandboxSpec = (parts: SandboxSpecParts): OciSpec => {
  const { request, limits, system, networkPath, cgroup, cgroups } = parts
  const memory = limits.memoryBytes
  return {
    ociVersion: '1.0.2',
    process: {
      terminal: false,
      user: { uid: SANDBOX_USER, gid: SANDBOX_USER },
      args: request.command,
      env: environmentOf(request),
      cwd: request.folder ?? FOLDERS.work,
      capabilities: { bounding: [], effective: [], permitted: [] },
      noNewPrivileges: true,
      // Killed first if the machine runs out of memory.
      oomScoreAdj: 1000,
      rlimits: [
        toRlimit('RLIMIT_CORE', 0),
        toRlimit('RLIMIT_FSIZE', limits.fileBytes),
        toRlimit('RLIMIT_NOFILE', MAX_DESCRIPTORS),
        // Ends processes that outlive the process of Remedium.
        toRlimit('RLIMIT_CPU', Math.ceil((limits.timeoutMs / 1000) * limits.cores) + 1),
      ],
    },
    root: { path: system.root, readonly: true },
    hostname: 'sandbox',
    mounts: mountsOf(parts),
    linux: {
      cgroupsPath: `/${cgroup}`,
      resources: {
        devices: [{ allow: false, access: 'rwm' }],
        cpu: { shares: CPU_SHARES, quota: Math.round(limits.cores * CPU_PERIOD_US), period: CPU_PERIOD_US },
        memory: { limit: memory, ...(cgroups.limitsSwap() ? { swap: memory } : {}) },
        pids: { limit: limits.processes },
      },
      namespaces: [
        ...(['pid', 'ipc', 'uts', 'mount', 'cgroup'] as const).map((type) => ({ type })),
        { type: 'network', path: networkPath },
      ],
      maskedPaths: [...MASKED_PATHS.filter((path) => path.startsWith('/proc')), ...HIDDEN_PATHS],
      readonlyPaths: READ_ONLY_PATHS,
      seccomp: strictSeccompProfile,
    },
  }
}
