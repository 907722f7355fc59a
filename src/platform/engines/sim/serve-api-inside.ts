/** Serves the API of a simulated cluster to the programs of its pods. */
import type { SimNetwork } from '#platform/engines/sim/network'
import type { Cluster } from '#platform/kube/simulated'
import type { HttpRequestContent } from '#spec'

/** The port if the API server listens on no socket. */
const DEFAULT_PORT = 6443
const HEAD_BYTES = 250

export interface InsideApiOptions {
  readonly cluster: Pick<Cluster, 'answer' | 'publishAddress'>
  readonly network: SimNetwork
  /** The port of the API server, if it listens on a socket. It then publishes its address itself. */
  readonly port: number | undefined
}

/** Returns a function that ends the service. */
export const serveApiInside = ({ cluster, network, port }: InsideApiOptions): (() => void) => {
  const listener = network.listenOutside(port ?? DEFAULT_PORT, () => async ({ content }) => {
    const answer = await cluster.answer(content as HttpRequestContent)
    return { content: answer, bytes: HEAD_BYTES + answer.body.length }
  })
  const unpublish = port === undefined ? cluster.publishAddress(DEFAULT_PORT) : () => {}
  return () => {
    unpublish()
    listener.close()
  }
}
