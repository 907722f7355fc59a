/** The options and the interface of the OCI runtime. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Clock } from '#kit'
import type { Stored } from '#platform/kube/meta'
import type { ContainerRuntime, PodNetwork, PodProcesses } from '#platform/kube/ports'
import type { ContainerStatistics } from '#spec'
import type { ImageCatalogue, ProgramMount } from './images/image-catalogue.ts'

export interface OciRuntimeOptions {
  clock: Clock
  nodeName: string
  network: PodNetwork
  images: ImageCatalogue
  /** Folders of the host that are mounted read-only into every container of the pod. */
  sharedFolders?(pod: Stored<Pod>): readonly ProgramMount[]
  /** The folder of the cluster, which holds all its files on disk. */
  folder: string
  /** The control group of the node, relative to the root of every hierarchy, such as `remedium/ab12/node1`. */
  cgroup: string
  /** Environment variables of every helper program, by which leftover processes are found. */
  marker: Readonly<Record<string, string>>
}

export interface OciRuntime extends ContainerRuntime {
  readonly processes: PodProcesses
  readonly statistics: ContainerStatistics
  /** Removes all images of the node except those with one of these full names. */
  retainImages(names: ReadonlySet<string>): void
  /** Kills all containers of the node and removes its files. */
  close(): Promise<void>
}
