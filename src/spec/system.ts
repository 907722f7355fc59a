/** A microservice system as an engine gets it: objects, programs behind the images, and doors for users. */
import type { Impact } from './fault.ts'
import type { Edge, Topology } from './topology.ts'
import type { Workload } from './workload.ts'

/** A program that an image's name stands for on engines without a registry. */
export interface SystemImage {
  /** As a manifest writes it: `shop/cart:1.2`. */
  readonly name: string
  readonly entrypoint?: readonly string[]
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly workingDirectory?: string
  /** Folders and files of this machine that the container sees, by where it sees them. Nothing can be written there. */
  readonly folders?: Readonly<Record<string, string>>
}

/** Where users come in: a port of a Service. */
export interface EntryPoint {
  readonly name: string
  readonly namespace: string
  readonly service: string
  readonly port: number
  /** What a user asks for first: `/hello`. */
  readonly path?: string
}

export interface System {
  readonly name: string
  /** What it is, in one sentence. */
  readonly about: string
  /** Where its workloads live; made when it is not there. */
  readonly namespace: string
  /** Objects in the order in which they are made; those that say no namespace go to the system's. */
  readonly manifests: readonly object[]
  readonly images: readonly SystemImage[]
  readonly entryPoints: readonly EntryPoint[]
  /** What its users do. */
  readonly workload?: Workload
  /** Who calls whom while it works. */
  readonly edges?: readonly Edge[]
  /** Of systems whose services are twins. */
  readonly topology?: Topology
  /** Other tags of a service's image, and what is wrong with each: `good`, or a kind of defect. From the topology where absent. */
  readonly releases?: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** By service, as measured; see `impact.yaml`. */
  readonly impact?: Readonly<Record<string, Impact>>
}

/** Declares a system; the folder has its name. */
export const defineSystem = (system: System): System => system
