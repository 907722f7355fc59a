/** The options of the container runtime of simulated programs. */
import type { Clock, Random } from '#kit'
import type { NodeLoad } from '#platform/engines/sim/hosts'
import type { SimNetwork } from '#platform/engines/sim/network'
import type { SimulatedImage, SimulatedProgram, Span } from '#spec'
import type { SimDisks } from './sim-disks.ts'
import type { SimPod, SimPodRegistry } from './sim-pods.ts'

/** An image on a simulated node. */
export interface ProgramImage extends SimulatedImage {
  /** The command line of `main`, as a list of processes shows it. */
  readonly entrypoint?: readonly string[]
  /** The arguments of `main`, unless the container sets its own; without `main`, the command line of the image. */
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly workingDirectory?: string
  /** Functions that generate files, by their path in the container. */
  readonly files?: Readonly<Record<string, () => Uint8Array>>
  /** The uid unless the pod sets one; 0 by default. */
  readonly user?: number
  /** The image has neither the everyday programs nor the folders of a system. */
  readonly isBare?: boolean
  /** Shown by `kubectl describe node`. */
  readonly sizeBytes?: number
}

/** Looks up a full name such as `docker.io/library/nginx:1.25`; undefined if the image does not exist. */
export type ProgramImages = (image: string) => ProgramImage | undefined

export interface ProgramRuntimeOptions {
  readonly clock: Clock
  readonly random: Random
  readonly nodeName: string
  /** The range of the addresses of the node's pods, such as `10.244.0.0/24`. */
  readonly podCIDR: string
  /** The memory of the node. */
  readonly memoryBytes: number
  /** Called when the first pod starts: the network follows the API of the cluster, which is created after its runtimes. */
  network(): SimNetwork
  /** The load of the node's cores. */
  readonly load: NodeLoad
  readonly images: ProgramImages
  /** The programs of every image that is not bare, by their names. */
  readonly everydayPrograms: Readonly<Record<string, SimulatedProgram>>
  /** Shared by all nodes. */
  readonly disks: SimDisks
  /** Shared by all nodes. */
  readonly pods: SimPodRegistry
  /** Receives the spans of programs. */
  onSpan(pod: SimPod, span: Span): void
  /** Called if a program rejects. The program ends with code 1. */
  onProgramError?(pod: SimPod, error: unknown): void
}
