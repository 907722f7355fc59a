/** The network properties of a node of the cluster. */

export interface NetworkNode {
  readonly name: string
  /** The address of the node. */
  readonly hostIP: string
  /** The range of the addresses of its pods. */
  readonly podCIDR: string
}
