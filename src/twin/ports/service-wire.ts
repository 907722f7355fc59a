/** Wires between services: HTTP, gRPC, Thrift. Peers; each has a server and a client. */

/** Names in lower case. Over gRPC they are metadata, over Thrift a map that travels in front of the arguments. */
export type Headers = Readonly<Record<string, string>>

export interface IncomingRequest {
  /** `GET`; `RPC` for gRPC and Thrift. */
  readonly method: string
  /** Without the query; of an RPC the bare method: `GetCart`. */
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly headers: Headers
  /** Parsed: JSON, the fields of a form, or text; null where there is none. */
  readonly body: unknown
  /** The address of who asks, where the wire tells. */
  readonly from?: string | undefined
  /** As it came over HTTP, for those who send it on. */
  readonly raw?: { readonly target: string; readonly body: Buffer }
}

export interface OutgoingAnswer {
  /** Of HTTP; for RPC 0 is success and all else the code of a gRPC status. */
  readonly status: number
  readonly headers?: Headers
  /** A string goes as it is over HTTP; all else is JSON. Of a failed RPC the message. */
  readonly body: unknown
  /** Instead of `body`, unchanged. */
  readonly raw?: Buffer
}

/** Never rejects. */
export type RequestHandler = (request: IncomingRequest) => Promise<OutgoingAnswer>

export interface ListeningServer {
  readonly port: number
  /** Takes no more, lets what is on its way end for at most `graceMs`, and closes. */
  close(graceMs?: number): Promise<void>
}

export interface ServeOptions {
  readonly port: number
  readonly handler: RequestHandler
  /** Of gRPC and Thrift: `hipstershop.CartService`. */
  readonly rpc?: string
}

export interface ServiceCall {
  /** `GET`, `POST`; `RPC` for gRPC and Thrift. */
  readonly method: string
  /** With the query; of an RPC `package.Service/Method`. */
  readonly target: string
  readonly headers: Headers
  readonly body?: unknown
  /** Instead of `body`, unchanged. */
  readonly raw?: Buffer
  /** None where absent: it waits as long as the connection lives. */
  readonly timeoutMs?: number
}

export interface ServiceAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
  readonly raw?: Buffer
}

export interface ServiceClient {
  /**
   * Rejects with a CallFailure, also of kind `answer` for a failed RPC; over HTTP every answer that came resolves,
   * whatever its status.
   */
  call(call: ServiceCall): Promise<ServiceAnswer>
  close(): void
}

/** What a caller does about calls that nobody answers. */
export interface Retry {
  /** In all. */
  readonly attempts: number
  readonly backoffMs: number
}

export interface ClientOptions {
  /** Asked before each connection is made: `host:port`. */
  readonly address: () => Promise<{ host: string; port: number }>
  /** Connections at most; no bound where absent. */
  readonly poolSize?: number
  /** How long a call waits for a connection; for ever where absent. */
  readonly poolWaitMs?: number
}
