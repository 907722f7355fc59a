/** The parts of an OCI runtime configuration that Remedium uses. */

export interface OciMount {
  destination: string
  type: string
  source: string
  options: readonly string[]
}

export interface OciNamespace {
  type: 'pid' | 'network' | 'ipc' | 'uts' | 'mount' | 'cgroup'
  /** The namespace to join; a new one by default. */
  path?: string
}

export interface OciUser {
  uid: number
  gid: number
  additionalGids?: readonly number[]
}

export interface OciResources {
  devices: readonly { allow: boolean; access: string }[]
  cpu: { shares: number; quota?: number; period?: number }
  /** `swap` is memory and swap together. */
  memory?: { limit: number; swap?: number }
  pids: { limit: number }
  unified?: Readonly<Record<string, string>>
}

export interface OciSeccomp {
  defaultAction: string
  architectures: readonly string[]
  syscalls: readonly {
    names: readonly string[]
    action: string
    errnoRet?: number
    args?: readonly { index: number; value: number; valueTwo: number; op: string }[]
  }[]
}

export interface OciSpec {
  ociVersion: string
  process: {
    terminal: boolean
    user: OciUser
    args: readonly string[]
    env: readonly string[]
    cwd: string
    capabilities: Readonly<Record<'bounding' | 'effective' | 'permitted', readonly string[]>>
    noNewPrivileges: boolean
    oomScoreAdj: number
    rlimits: readonly { type: string; hard: number; soft: number }[]
  }
  root: { path: string; readonly: boolean }
  hostname: string
  mounts: readonly OciMount[]
  linux: {
    cgroupsPath: string
    resources: OciResources
    namespaces: readonly OciNamespace[]
    maskedPaths: readonly string[]
    readonlyPaths: readonly string[]
    sysctl?: Readonly<Record<string, string>>
    seccomp: OciSeccomp
  }
}
