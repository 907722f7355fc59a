/** The interface of a server command, and the context in which it runs. */
import type { Document, ObjectId } from '../bson.ts'
import type { DocumentStore } from '../document-store.ts'
import type { Action } from '../roles.ts'
import type { Mechanism, ScramSource } from '../scram.ts'
import type { UserStore } from '../user-store.ts'
import type { CursorStore } from './cursor-store.ts'

/** A SCRAM login in progress. */
export interface ScramConversation {
  readonly database: string
  readonly user: string
  readonly mechanism: Mechanism
  readonly finish: (clientFinal: string) => string | undefined
  /** Whether the proof is verified. The client may still have to send an empty message. */
  isVerified: boolean
  readonly skipEmptyExchange: boolean
}

/** The state of one connection. */
export interface Session {
  readonly connectionId: number
  readonly remote: string
  /** Users by database. Their roles are looked up for each command. */
  readonly authenticated: Map<string, { readonly user: string; readonly db: string }>
  conversation: ScramConversation | undefined
}

export interface ServerStatistics {
  readonly startedAt: number
  readonly connections: () => { readonly current: number; readonly total: number }
  readonly counts: Record<string, number>
}

/** The resources of the process that commands use. */
export interface CommandHost {
  readonly hostname: string
  readonly scram: ScramSource
  /** Whole milliseconds since the epoch. */
  now(): number
  createId(): ObjectId
  residentBytes(): number
}

export interface CommandContext {
  readonly host: CommandHost
  readonly store: DocumentStore
  readonly users: UserStore
  readonly cursors: CursorStore
  readonly session: Session
  readonly statistics: ServerStatistics
  /** The database of the command. */
  readonly database: string
  /** Whether a defect of the release makes the command fail. */
  readonly fails?: ((command: string) => boolean) | undefined
  log(level: 'info' | 'warn' | 'error', component: string, message: string, attributes: Document): void
}

export interface Command {
  readonly action: Action
  /** Returns the reply without `ok`. */
  run(context: CommandContext, command: Document): Document | Promise<Document>
}

/** The namespace `db.collection` of a command such as `{find: "users"}`. */
export const namespaceOf = ({ database }: CommandContext, collection: unknown): string =>
  `${database}.${String(collection)}`
