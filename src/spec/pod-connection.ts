/** A connection of the laboratory to a program in a pod. */
import type { Socket } from 'node:net'
import type { ProgramConnection } from './program-host.ts'

/** A socket, or messages if the program runs inside the engine. */
export type PodConnection =
  | { readonly kind: 'socket'; readonly socket: Socket }
  | { readonly kind: 'messages'; readonly connection: ProgramConnection }
