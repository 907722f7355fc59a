/** The port between the kubelet and a container runtime: processes under runc, or a simulation. */
import type { Duplex, Readable, Writable } from 'node:stream'
import type { Container, Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Stored } from '#platform/kube/meta'

/** The address, namespaces and volumes of a pod. Created once per pod, before its containers. */
export interface Sandbox {
  readonly id: string
  readonly ip: string
}

export interface ContainerExit {
  exitCode: number
  signal?: number
  /** `Completed`, `Error`, `OOMKilled`, `ContainerCannotRun`, `StartError` ... as the kubelet reports it. */
  reason: string
  message?: string
}

export interface RunningContainer {
  /** `containerd://...` */
  readonly id: string
  /** The full image name, as the runtime reports it: `docker.io/library/busybox:1.36`. */
  readonly image: string
  readonly imageId: string
}

/** An image on the node. */
export interface NodeImage {
  names: readonly string[]
  sizeBytes: number
}

/** One file of a volume; its content is computed on demand. */
export interface VolumeFile {
  path: string
  mode: number
  content(): Uint8Array
}

/** A resolved volume whose files come from API objects: config maps, secrets, downward API, projections. */
export interface FileVolume {
  name: string
  files: readonly VolumeFile[]
}

/** The volume of a claim: a folder in the cluster's storage at the path of the PersistentVolume. */
export interface ClaimVolume {
  name: string
  path: string
  readOnly: boolean
}

/** The volumes that depend on API objects; the pod's spec describes the others (emptyDir, hostPath). */
export interface PodVolumes {
  files: readonly FileVolume[]
  claims: readonly ClaimVolume[]
}

/** The storage that a pod uses, in bytes. */
export interface DiskUsage {
  /** emptyDir volumes by name. */
  volumes: Readonly<Record<string, number>>
  /** Writable layer and logs by container name. */
  containers: Readonly<Record<string, number>>
  /** Volumes that outlive the pod, by name. */
  persistent?: Readonly<Record<string, number>>
  /** Free space of the disk. */
  availableBytes?: number
}

export interface StartContainer {
  pod: Stored<Pod>
  sandbox: Sandbox
  container: Container
  /** Number of earlier starts of this container in this pod. */
  attempt: number
  environment: Readonly<Record<string, string>>
  /** Called once, when the container's main process has exited. */
  onExit(exit: ContainerExit): void
}

/** The image cannot be pulled: becomes ErrImagePull, then ImagePullBackOff. */
export class ImagePullError extends Error {}

/** A volume cannot be set up: becomes the message of a FailedMount event. */
export class VolumeSetupError extends Error {}

/**
 * The container's configuration is invalid (CreateContainerConfigError), the container cannot be created
 * (CreateContainerError), or it was created but cannot be started (RunContainerError).
 */
export class ContainerStartError extends Error {
  readonly stage: 'config' | 'create' | 'start'
  /** The container that was created but not started. */
  readonly container: RunningContainer | undefined

  constructor(message: string, stage: 'config' | 'create' | 'start', container?: RunningContainer) {
    super(message)
    this.stage = stage
    this.container = container
  }
}

export interface LogOptions {
  previous: boolean
  follow: boolean
  timestamps: boolean
  tailLines?: number
  sinceTime?: number
  limitBytes?: number
}

export interface ExecOptions {
  command: readonly string[]
  tty: boolean
  stdin?: Readable
  stdout?: Writable
  stderr?: Writable
  /** Calls the listener with each new terminal size of the client. */
  resize?: (listener: (size: { columns: number; rows: number }) => void) => void
  signal: AbortSignal
}

/** The runtime could not start the command of an exec. */
export class ExecNotStarted extends Error {
  /** `id` is the id of the process that did not start; `reason` is the message of the OCI runtime. */
  constructor(id: string, reason: string) {
    super(
      `failed to exec in container: failed to start exec ${JSON.stringify(id)}: OCI runtime exec failed: ${reason}: unknown`,
    )
  }
}

export interface ExecResult {
  exitCode: number
}

export interface Usage {
  /** Cores used, averaged over `windowMs`. */
  cpu: number
  /** Working set in bytes. */
  memory: number
  windowMs: number
}

/** The result of a probe. */
export interface ProbeResult {
  ok: boolean
  /** The text after `Liveness probe failed: `. */
  output: string
}

/** The result of a runtime operation. */
export type Outcome<T> = { ok: true; value: T } | { ok: false; error: Error }
export type Reply<T> = (outcome: Outcome<T>) => void

/**
 * Operations use reply callbacks instead of promises, so that the simulated runtime can run under a virtual
 * clock without waiting for the event loop. Every reply is called exactly once, never during the call.
 */
export interface ContainerRuntime {
  readonly name: string
  readonly version: string
  /** Returns whether the image is already on the node. */
  hasImage(image: string): boolean
  images(): readonly NodeImage[]
  /** Fails with ImagePullError. */
  pullImage(image: string, reply: Reply<{ imageId: string; size: number }>): void
  /** Fails with VolumeSetupError if a volume cannot be set up. */
  createSandbox(pod: Stored<Pod>, volumes: PodVolumes, reply: Reply<Sandbox>): void
  /** Replaces the content of file volumes, each atomically. */
  refreshVolumes(sandbox: Sandbox, files: readonly FileVolume[], reply: Reply<void>): void
  removeSandbox(sandbox: Sandbox, reply: Reply<void>): void
  /** Deletes the exited containers and logs of a pod that was deleted from the API. */
  forgetPod(uid: string): void
  /** Fails with ContainerStartError. */
  startContainer(start: StartContainer, reply: Reply<RunningContainer>): void
  /** Terminates the main process, and kills it after `graceMs`; `onExit` reports its exit. */
  stopContainer(id: string, graceMs: number): void
  /** Runs one probe or lifecycle hook of the container; fails if it could not be executed. */
  probe(
    pod: Stored<Pod>,
    container: Container,
    containerId: string,
    probe: ProbeAction,
    reply: Reply<ProbeResult>,
  ): void
  logs(pod: Stored<Pod>, container: string, options: LogOptions): Promise<Readable>
  exec(pod: Stored<Pod>, container: string, options: ExecOptions): Promise<ExecResult>
  /** Attaches to the streams of the main process. Resolves when the process or the client ends. */
  attach(pod: Stored<Pod>, container: string, options: Omit<ExecOptions, 'command'>): Promise<void>
  /** Connects to a port inside the pod. Rejects if no process listens. */
  connect(pod: Stored<Pod>, port: number): Promise<Duplex>
  /** Returns the usage by container name, for running containers only. */
  usage(pod: Stored<Pod>): Readonly<Record<string, Usage>>
  /** Measures the disk usage on demand, which is slow. */
  diskUsage(pod: Stored<Pod>, reply: Reply<DiskUsage>): void
}

export interface ProbeAction {
  kind: 'startup' | 'readiness' | 'liveness' | 'postStart' | 'preStop'
  action:
    | { type: 'exec'; command: readonly string[] }
    | {
        type: 'http'
        scheme: 'HTTP' | 'HTTPS'
        host: string
        port: number
        path: string
        headers: readonly { name: string; value: string }[]
      }
    | { type: 'tcp'; host: string; port: number }
    | { type: 'grpc'; host: string; port: number; service: string }
  timeoutMs: number
}
