/** An implementation of a service protocol, as its contract suite uses it. */
import type { ClientOptions, ListeningServer, RequestHandler, ServiceClient } from '#world/twin/ports'

export interface ServiceSubject {
  /** Port 0 selects a free port. */
  startServer(handler: RequestHandler, options?: { port?: number; rpc?: string }): Promise<ListeningServer>
  /** Connects to the servers of the subject. */
  createClient(port: number, options?: Partial<ClientOptions>): ServiceClient
  /** The host name of the servers. */
  readonly host: string
  /** Starts a server that accepts connections and never answers. */
  startSilentServer(): Promise<number>
  /** Starts a server that closes a connection at the request with this number. */
  startClosingServer(request: number): Promise<{ readonly port: number; connections(): number }>
  sleep(ms: number): Promise<void>
}

/** Runs the work with a new subject, and closes everything afterwards. */
export type WithServiceSubject = (work: (subject: ServiceSubject) => Promise<void>) => Promise<void>
