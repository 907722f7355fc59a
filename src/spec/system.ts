/** A microservice system as an engine deploys it: objects, programs behind the images, and entry points for users. */
import type { Impact } from './fault.ts'
import type { SimulatedImage } from './program-host.ts'
import type { Edge, Topology } from './topology.ts'
import type { Workload } from './workload.ts'

/** The program that a container with this image name runs, on engines without a registry. */
export interface SystemImage {
  /** As in a manifest: `shop/cart:1.2`. */
  readonly name: string
  readonly entrypoint?: readonly string[]
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly workingDirectory?: string
  /** Folders and files of the host, by their path in the container; read-only. */
  readonly folders?: Readonly<Record<string, string>>
  /** Functions that generate further files, by their path in the container; called when a node first needs the image. */
  readonly files?: Readonly<Record<string, () => Uint8Array>>
  /** The programs on a simulated cluster, which runs no files. */
  readonly simulated?: SimulatedImage
}

/** An entry point for users: a port of a Service. */
export interface EntryPoint {
  readonly name: string
  readonly namespace: string
  readonly service: string
  readonly port: number
  /** The path of a first request, such as `/hello`. */
  readonly path?: string
}

export interface System {
  readonly name: string
  /** One sentence. */
  readonly about: string
  /** The namespace of its workloads; created if missing. */
  readonly namespace: string
  /** Objects in the order of creation; objects without a namespace are created in the system's namespace. */
  readonly manifests: readonly object[]
  readonly images: readonly SystemImage[]
  readonly entryPoints: readonly EntryPoint[]
  /** The behaviour of its users. */
  readonly workload?: Workload
  /** The call graph. */
  readonly edges?: readonly Edge[]
  /** Present if its services are twins. */
  readonly topology?: Topology
  /** Other image tags of a service, each `good` or a kind of defect; from the topology by default. */
  readonly releases?: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Measured impact by service; see `impact.yaml`. */
  readonly impact?: Readonly<Record<string, Impact>>
  /**
   * Loads the code of the simulated programs. Must have resolved before `simulated` of an image is read. Other commands do without that
   * code, to start faster.
   */
  loadSimulated?(): Promise<void>
  /**
   * Draws new tags for the bad releases; good releases keep theirs. The same secret always draws the same
   * tags. The defect of an image cannot be inferred from its files and paths by comparison with the images of
   * another secret.
   */
  drawReleases?(secret: string): Pick<System, 'images' | 'topology' | 'releases'>
}

/** Declares a system; the folder has its name. */
export const defineSystem = (system: System): System => system
