/** Connects to a port of a simulated pod, if the main process of one of its containers listens there. */
import type { SimNetwork } from '#platform/engines/sim/network'
import type { PodConnection, PodRoute } from '#spec'
import type { InspectedPods } from './inspected-pods.ts'

export interface ListeningContainer {
  /** Whether its main process listens on the port. */
  isListening(port: number): boolean
}

export interface ConnectToMainOptions {
  readonly pods: InspectedPods<ListeningContainer>
  readonly network: SimNetwork
}

/** As `connectTo` of a cluster, with the messages of a local one. */
export const connectToMain =
  ({ pods, network }: ConnectToMainOptions) =>
  async (uid: string, port: number, via: PodRoute): Promise<PodConnection> => {
    const pod = pods.find(uid)
    if (pod === undefined) throw new Error(`the pod ${uid} is not running`)
    if (!network.hasListener(uid, port)) throw new Error(`no program listens on port ${port}`)
    if (!pod.containers().some((container) => container.isListening(port)))
      throw new Error(`a program other than the container's own listens on port ${port}`)
    return { kind: 'messages', connection: await network.connectInside(uid, port, via) }
  }
