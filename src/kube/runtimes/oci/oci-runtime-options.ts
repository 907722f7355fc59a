/** What a runtime of real containers is made of. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Clock } from '../../../kit/index.ts'
import type { ContainerStatistics } from '../../../spec/index.ts'
import type { Stored } from '../../meta/index.ts'
import type { ContainerRuntime, PodNetwork, PodProcesses } from '../../ports/index.ts'
import type { ImageCatalogue, ProgramMount } from './image-catalogue.ts'

export interface OciRuntimeOptions {
  clock: Clock
  nodeName: string
  network: PodNetwork
  images: ImageCatalogue
  /** Folders of the host that every container of the pod sees and cannot write to. */
  sharedFolders?(pod: Stored<Pod>): readonly ProgramMount[]
  /** The folder of the cluster: all that is kept on disk lies below it. */
  folder: string
  /** The control group of the node, below the root of every hierarchy: `remedium/ab12/node1`. */
  cgroup: string
  /** Environment of every helper program, by which those left over can be found. */
  marker: Readonly<Record<string, string>>
}

export interface OciRuntime extends ContainerRuntime {
  readonly processes: PodProcesses
  readonly statistics: ContainerStatistics
  /** Ends every container of the node at once, and removes all that was kept of it. */
  close(): Promise<void>
}
