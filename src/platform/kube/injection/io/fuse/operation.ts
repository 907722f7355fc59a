/** The contract of a FUSE request type: its method name, the files it concerns, and its answer. */

import type { Node, Nodes } from './nodes.ts'
import type { FuseRequest } from './protocol.ts'

export interface Call extends FuseRequest {
  node: Node
}

export interface Operation {
  /** Its name in chaos objects. */
  method: string
  /** The names in the folder that the call concerns; the node itself if omitted. */
  names?: (call: Call) => string[]
  /** Names in other folders that the call concerns. */
  otherNames?: (call: Call) => { nodeId: number; name: string }[]
  /** The offset of attributes in the answer. */
  attributesAt?: number
  /** The operation runs even if a fault applies to the call, because it releases resources. */
  isMandatory?: true
  /** Returns the answer with space for its header, or throws an error with an errno. */
  run(call: Call): Buffer | Promise<Buffer>
}

export interface Volume {
  nodes: Nodes
  /** Flags for every file that is opened. */
  openFlags(): number
}

export type Operations = Readonly<Record<number, Operation>>
