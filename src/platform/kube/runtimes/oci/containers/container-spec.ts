/** Builds the OCI configuration of a container from its spec, its image and its pod. */
import { posix } from 'node:path'
import type { Container, Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Cgroups } from '#machine/linux'
import {
  MASKED_PATHS,
  type OciMount,
  type OciNamespace,
  type OciSpec,
  READ_ONLY_PATHS,
  SYSTEM_MOUNTS,
  seccompProfile,
} from '#machine/oci'
import { hostnameOf } from '#platform/kube/connectivity'
import { commandLineOf, createNoCommandError, environmentOf } from '#platform/kube/containers'
import type { Stored } from '#platform/kube/meta'
import { ContainerStartError } from '#platform/kube/ports'
import type { ImageProgram } from '../images/image-catalogue.ts'
import { SEARCH_PATH } from '../images/well-known-images.ts'
import { capabilitiesOf } from './container-capabilities.ts'
import { allowedOomScoreOf, resourcesOf } from './container-resources.ts'
import { userOf } from './container-user.ts'
import type { RootFilesystem } from './root-filesystem.ts'

export interface SpecParts {
  pod: Stored<Pod>
  container: Container
  image: ImageProgram
  environment: Readonly<Record<string, string>>
  root: RootFilesystem
  /** Mounted after the root filesystem, in this order. */
  mounts: readonly OciMount[]
  networkPath: string
  /** The path of a process namespace to join. */
  processPath: string | undefined
  cgroup: string
  cgroups: Pick<Cgroups, 'version' | 'limitsSwap'>
}

/** Rejects a path in /proc: it could lead to the host through a descriptor of the runtime program. */
const workingFolderOf = ({ workingDir }: Container, { workingDirectory }: ImageProgram): string => {
  const folder = workingDir || workingDirectory || '/'
  if (!/^\/proc(\/|$)/.test(posix.normalize(`/${folder}`))) return folder
  throw new ContainerStartError(
    `failed to create containerd container: the working directory ${folder} is in /proc, which is not allowed`,
    'create',
  )
}

const argumentsOf = (container: Container, image: ImageProgram): readonly string[] => {
  const { program, args } = commandLineOf(container, image)
  if (program.length + args.length === 0) throw createNoCommandError()
  return [...program, ...args]
}

const variablesOf = (parts: SpecParts): string[] =>
  Object.entries(environmentOf({ ...parts, searchPath: SEARCH_PATH })).map(
    ([name, value]) => `${name}=${value}`,
  )

const namespacesOf = ({ networkPath, processPath }: SpecParts): OciNamespace[] => [
  processPath === undefined ? { type: 'pid' } : { type: 'pid', path: processPath },
  { type: 'ipc' },
  { type: 'uts' },
  { type: 'mount' },
  { type: 'cgroup' },
  { type: 'network', path: networkPath },
]

/** An ephemeral container is listed neither in `containers` nor in `initContainers`. */
const isEphemeral = ({ spec }: Stored<Pod>, { name }: Container): boolean =>
  ![...spec.containers, ...(spec.initContainers ?? [])].some((candidate) => candidate.name === name)

/** Limits single files, because the node measures disk usage only periodically. */
const MAX_FILE_BYTES = 4 * 1024 ** 3

const processOf = (parts: SpecParts): OciSpec['process'] => {
  const { pod, container, image } = parts
  const { securityContext } = container
  const capabilities = capabilitiesOf(securityContext?.capabilities, isEphemeral(pod, container))
  return {
    terminal: container.tty === true,
    user: userOf(pod, container, image),
    args: argumentsOf(container, image),
    env: variablesOf(parts),
    cwd: workingFolderOf(container, image),
    capabilities: { bounding: capabilities, effective: capabilities, permitted: capabilities },
    noNewPrivileges: securityContext?.allowPrivilegeEscalation === false,
    oomScoreAdj: allowedOomScoreOf(pod, container),
    rlimits: [
      { type: 'RLIMIT_CORE', hard: 0, soft: 0 },
      { type: 'RLIMIT_FSIZE', hard: MAX_FILE_BYTES, soft: MAX_FILE_BYTES },
    ],
  }
}

/** Only the network sysctls, which act on the pod's own network namespace. */
const sysctlsOf = (pod: Stored<Pod>): Record<string, string> =>
  Object.fromEntries(
    (pod.spec.securityContext?.sysctls ?? [])
      .filter(({ name }) => name.startsWith('net.') && pod.spec.hostNetwork !== true)
      .map(({ name, value }) => [name, value]),
  )

/** Throws ContainerStartError if the spec is not supported. */
export const containerSpec = (parts: SpecParts): OciSpec => {
  const { pod, container, root, mounts, cgroup, cgroups } = parts
  return {
    ociVersion: '1.0.2',
    process: processOf(parts),
    root: { path: root.path, readonly: container.securityContext?.readOnlyRootFilesystem === true },
    hostname: hostnameOf(pod),
    mounts: [...root.mounts, ...SYSTEM_MOUNTS, ...mounts],
    linux: {
      cgroupsPath: `/${cgroup}`,
      resources: resourcesOf(container, cgroups),
      namespaces: namespacesOf(parts),
      maskedPaths: MASKED_PATHS,
      // Commands in a container must not write to the memory of its main process, `/proc/1/mem`.
      readonlyPaths: ['/proc', ...READ_ONLY_PATHS, ...root.readOnlyPaths],
      sysctl: sysctlsOf(pod),
      seccomp: seccompProfile,
    },
  }
}
