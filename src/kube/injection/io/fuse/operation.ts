/** What one kind of request is to the rest: a method's name, the files it is about, and how it is answered. */

import type { Node, Nodes } from './nodes.ts'
import type { FuseRequest } from './protocol.ts'

export interface Call extends FuseRequest {
  node: Node
}

export interface Operation {
  /** As chaos objects name it. */
  method: string
  /** Names in the folder that the call is about, in place of the folder itself. */
  names?: (call: Call) => string[]
  /** Another node with such a name. */
  others?: (call: Call) => { nodeId: number; name: string }[]
  /** Where attributes are in the answer. */
  attributesAt?: number
  /** It must be done even when the caller is told that it failed. */
  always?: true
  /** Throws an error with an errno, or gives the answer with room for its header. */
  run(call: Call): Buffer | Promise<Buffer>
}

export interface Volume {
  nodes: Nodes
  /** Flags for every file that is opened. */
  openFlags(): number
}

export type Operations = Readonly<Record<number, Operation>>
