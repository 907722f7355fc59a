/** The OCI configuration of a container, from its spec, its image and its pod. */
import { posix } from 'node:path'
import type { Container, Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Cgroups } from '../../../linux/index.ts'
import {
  MASKED_PATHS,
  type OciMount,
  type OciNamespace,
  type OciSpec,
  READ_ONLY_PATHS,
  SYSTEM_MOUNTS,
  seccompProfile,
} from '../../../oci/index.ts'
import type { Stored } from '../../meta/index.ts'
import { ContainerStartError } from '../../ports/index.ts'
import { capabilitiesOf } from './container-capabilities.ts'
import { oomScoreOf, resourcesOf } from './container-resources.ts'
import { userOf } from './container-user.ts'
import { SEARCH_PATH } from './everyday-programs.ts'
import type { ImageProgram } from './image-catalogue.ts'
import { hostnameOf } from './pod-etc.ts'
import type { RootFilesystem } from './root-filesystem.ts'

export interface SpecParts {
  pod: Stored<Pod>
  container: Container
  image: ImageProgram
  environment: Readonly<Record<string, string>>
  root: RootFilesystem
  /** After those of the root filesystem, in this order. */
  mounts: readonly OciMount[]
  networkPath: string
  /** Of a process namespace to join. */
  processPath: string | undefined
  cgroup: string
  cgroups: Pick<Cgroups, 'version' | 'limitsSwap'>
}

/** Throws ContainerStartError for what would lead out of the cluster, onto this machine. */
export const checkHostAccess = (pod: Stored<Pod>, { name, securityContext }: Container): void => {
  const refuse = (what: string): never => {
    throw new ContainerStartError(
      `failed to create container "${name}": ${what}, which would reach the machine that the cluster runs on`,
      'create',
    )
  }
  if (securityContext?.privileged === true) refuse('it asks to be privileged')
  if (pod.spec.hostPID === true) refuse('its pod asks for the process namespace of the host')
  if (pod.spec.hostIPC === true) refuse('its pod asks for the IPC namespace of the host')
}

/** A path there could lead through a descriptor of the runtime program, which the host's files are open in. */
const workingFolderOf = ({ workingDir }: Container, { workingDirectory }: ImageProgram): string => {
  const folder = workingDir || workingDirectory || '/'
  if (!/^\/proc(\/|$)/.test(posix.normalize(`/${folder}`))) return folder
  throw new ContainerStartError(
    `failed to create containerd container: the working directory ${folder} lies in /proc, which is no place to run in`,
    'create',
  )
}

const argumentsOf = ({ command, args }: Container, image: ImageProgram): readonly string[] => {
  const words =
    command !== undefined && command.length > 0
      ? [...command, ...(args ?? [])]
      : [...image.entrypoint, ...(args !== undefined && args.length > 0 ? args : (image.command ?? []))]
  if (words.length > 0) return words
  throw new ContainerStartError(
    'failed to create containerd container: failed to generate container spec: no command specified',
    'create',
  )
}

const environmentOf = ({ pod, container, image, environment }: SpecParts): string[] =>
  Object.entries({
    PATH: SEARCH_PATH,
    HOSTNAME: hostnameOf(pod),
    ...(container.tty === true ? { TERM: 'xterm' } : {}),
    ...image.environment,
    ...environment,
  }).map(([name, value]) => `${name}=${value}`)

const namespacesOf = ({ networkPath, processPath }: SpecParts): OciNamespace[] => [
  processPath === undefined ? { type: 'pid' } : { type: 'pid', path: processPath },
  { type: 'ipc' },
  { type: 'uts' },
  { type: 'mount' },
  { type: 'cgroup' },
  { type: 'network', path: networkPath },
]

/** Such a one is in none of the lists that a pod is made with. */
const isEphemeral = ({ spec }: Stored<Pod>, { name }: Container): boolean =>
  ![...spec.containers, ...(spec.initContainers ?? [])].some((one) => one.name === name)

/** A file cannot be longer: the node finds out only afterwards what a pod lays on its disk. */
const LONGEST_FILE = 4 * 1024 ** 3

const processOf = (parts: SpecParts): OciSpec['process'] => {
  const { pod, container, image } = parts
  const { securityContext } = container
  const capabilities = capabilitiesOf(securityContext?.capabilities, isEphemeral(pod, container))
  return {
    terminal: container.tty === true,
    user: userOf(pod, container, image),
    args: argumentsOf(container, image),
    env: environmentOf(parts),
    cwd: workingFolderOf(container, image),
    capabilities: { bounding: capabilities, effective: capabilities, permitted: capabilities },
    noNewPrivileges: securityContext?.allowPrivilegeEscalation === false,
    oomScoreAdj: oomScoreOf(pod, container),
    rlimits: [
      { type: 'RLIMIT_CORE', hard: 0, soft: 0 },
      { type: 'RLIMIT_FSIZE', hard: LONGEST_FILE, soft: LONGEST_FILE },
    ],
  }
}

/** Settings of the pod's own network; the kernel keeps the others for the whole machine. */
const settingsOf = (pod: Stored<Pod>): Record<string, string> =>
  Object.fromEntries(
    (pod.spec.securityContext?.sysctls ?? [])
      .filter(({ name }) => name.startsWith('net.') && pod.spec.hostNetwork !== true)
      .map(({ name, value }) => [name, value]),
  )

/** Throws ContainerStartError where the spec cannot be followed. */
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
      readonlyPaths: [...READ_ONLY_PATHS, ...root.readOnlyPaths],
      sysctl: settingsOf(pod),
      seccomp: seccompProfile,
    },
  }
}
