/** The port between the kubelet and whatever runs containers: processes under runc, or a model of them. */
import type { Duplex, Readable, Writable } from 'node:stream'
import type { Container, Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Stored } from '../meta/index.ts'

/** A pod's place to live: address, namespaces, volumes. One per pod, before its containers. */
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
  /** The full name under which the runtime knows the image: `docker.io/library/busybox:1.36`. */
  readonly image: string
  readonly imageId: string
}

/** An image that lies on the node. */
export interface NodeImage {
  names: readonly string[]
  sizeBytes: number
}

/** One file that a volume shows; its content is made only when somebody needs it. */
export interface VolumeFile {
  path: string
  mode: number
  content(): Uint8Array
}

/** A volume made of API objects, resolved: config maps, secrets, downward API and their projections. */
export interface FileVolume {
  name: string
  files: readonly VolumeFile[]
}

/** The volume of a claim: a folder in the storage of the cluster, at the path that the PersistentVolume names. */
export interface ClaimVolume {
  name: string
  path: string
  readOnly: boolean
}

/** The volumes that API objects decide; of the others the pod's spec says all (emptyDir, hostPath). */
export interface PodVolumes {
  files: readonly FileVolume[]
  claims: readonly ClaimVolume[]
}

/** Bytes on the node's disk. */
export interface DiskUsage {
  /** By the name of the volume: those of type emptyDir. */
  volumes: Readonly<Record<string, number>>
  /** By the name of the container: its writable layer and its logs. */
  containers: Readonly<Record<string, number>>
  /** By the name of the volume: those that outlive the pod. */
  lasting?: Readonly<Record<string, number>>
  /** What is left for everybody. */
  availableBytes?: number
}

export interface StartContainer {
  pod: Stored<Pod>
  sandbox: Sandbox
  container: Container
  /** How many times this container was started before in this pod. */
  attempt: number
  environment: Readonly<Record<string, string>>
  /** Called once, when the container's main process has ended. */
  onExit(exit: ContainerExit): void
}

/** The image cannot be had: becomes ErrImagePull, then ImagePullBackOff. */
export class ImagePullError extends Error {}

/** A volume cannot be set up: becomes the message of a FailedMount event. */
export class VolumeSetupError extends Error {}

/**
 * The container must not be made as its spec says (CreateContainerConfigError), cannot be made
 * (CreateContainerError) or, once made, not started (RunContainerError).
 */
export class ContainerStartError extends Error {
  readonly stage: 'config' | 'create' | 'start'
  /** Of the container that was made and did not start. */
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
  /** Yields terminal sizes as the client changes them. */
  resize?: (listener: (size: { columns: number; rows: number }) => void) => void
  signal: AbortSignal
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

/** What a probe found. */
export interface ProbeResult {
  ok: boolean
  /** The text after `Liveness probe failed: `. */
  output: string
}

/** How an operation of the runtime ended. */
export type Outcome<T> = { ok: true; value: T } | { ok: false; error: Error }
export type Reply<T> = (outcome: Outcome<T>) => void

/**
 * The life of containers is told through replies and not promises, so that a modelled runtime can run it
 * under a virtual clock without waiting for the event loop. Every reply comes exactly once, never inside the call.
 */
export interface ContainerRuntime {
  readonly name: string
  readonly version: string
  /** Whether the image is there already, without pulling. */
  hasImage(image: string): boolean
  images(): readonly NodeImage[]
  /** Fails with ImagePullError. */
  pullImage(image: string, reply: Reply<{ imageId: string; size: number }>): void
  /** Fails with VolumeSetupError where it is for a volume. */
  createSandbox(pod: Stored<Pod>, volumes: PodVolumes, reply: Reply<Sandbox>): void
  /** Shows other content in volumes of files, each at once: no reader sees half of it. */
  refreshVolumes(sandbox: Sandbox, files: readonly FileVolume[], reply: Reply<void>): void
  removeSandbox(sandbox: Sandbox, reply: Reply<void>): void
  /** Drops what is kept of a pod that has left the API: ended containers and their logs. */
  forgetPod(uid: string): void
  /** Fails with ContainerStartError. */
  startContainer(start: StartContainer, reply: Reply<RunningContainer>): void
  /** Asks the main process to end, and kills it when `graceMs` are over; `onExit` tells when it has ended. */
  stopContainer(id: string, graceMs: number): void
  /** Runs one probe or life-cycle hook of the container now; fails when it could not even be tried. */
  probe(
    pod: Stored<Pod>,
    container: Container,
    containerId: string,
    probe: ProbeAction,
    reply: Reply<ProbeResult>,
  ): void
  logs(pod: Stored<Pod>, container: string, options: LogOptions): Promise<Readable>
  exec(pod: Stored<Pod>, container: string, options: ExecOptions): Promise<ExecResult>
  /** Joins the streams of the main process. Resolves when it or the client has ended. */
  attach(pod: Stored<Pod>, container: string, options: Omit<ExecOptions, 'command'>): Promise<void>
  /** A connection to a port inside the pod. Rejects when nothing listens there. */
  connect(pod: Stored<Pod>, port: number): Promise<Duplex>
  /** Usage by container name; nothing for containers that do not run. */
  usage(pod: Stored<Pod>): Readonly<Record<string, Usage>>
  /** Measured now, which takes its time. */
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
