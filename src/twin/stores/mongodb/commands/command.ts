/** What a command of the server is, and what it has at hand while it runs. */
import type { Document } from '../bson.ts'
import type { DocumentStore } from '../document-store.ts'
import type { Mechanism } from '../scram.ts'
import type { Action, UserStore } from '../user-store.ts'
import type { CursorStore } from './cursor-store.ts'

/** A login that has begun. */
export interface Conversation {
  readonly database: string
  readonly user: string
  readonly mechanism: Mechanism
  readonly finish: (clientFinal: string) => string | undefined
  /** The last message was sent; an empty one is still to come. */
  proved: boolean
  readonly skipEmptyExchange: boolean
}

/** What is known of one connection. */
export interface Session {
  readonly connectionId: number
  readonly remote: string
  /** Names in their databases; roles are looked up anew for each command. */
  readonly authenticated: Map<string, { readonly user: string; readonly db: string }>
  conversation: Conversation | undefined
}

export interface ServerFacts {
  readonly startedAt: number
  readonly connections: () => { readonly current: number; readonly total: number }
  readonly counts: Record<string, number>
}

export interface CommandContext {
  readonly store: DocumentStore
  readonly users: UserStore
  readonly cursors: CursorStore
  readonly session: Session
  readonly facts: ServerFacts
  /** The one that the command is about. */
  readonly database: string
  /** What a bad release cannot do any more. */
  readonly fails?: ((command: string) => boolean) | undefined
  log(level: 'info' | 'warn' | 'error', component: string, message: string, attributes: Document): void
}

export interface Command {
  readonly action: Action
  /** The reply, without `ok`. */
  run(context: CommandContext, command: Document): Document | Promise<Document>
}

/** `db.collection` of a command such as `{find: "users"}`. */
export const namespaceOf = ({ database }: CommandContext, collection: unknown): string =>
  `${database}.${String(collection)}`
