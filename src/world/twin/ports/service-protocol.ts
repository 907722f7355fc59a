/**
 * The interface of the protocols between services: HTTP, gRPC and Thrift, each with a server and a client.
 */

/** Names are in lower case. gRPC sends headers as metadata, Thrift as a map before the arguments. */
export type Headers = Readonly<Record<string, string>>

export interface IncomingRequest {
  /** `GET`; `RPC` for gRPC and Thrift. */
  readonly method: string
  /** The path without the query; for an RPC, the name of the method: `GetCart`. */
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly headers: Headers
  /** The parsed body: JSON, the fields of a form, or text; null if there is none. */
  readonly body: unknown
  /** The address of the client, if the protocol reports it. */
  readonly from?: string | undefined
  /** The unparsed HTTP request, for proxies. */
  readonly raw?: { readonly target: string; readonly body: Buffer }
}

export interface OutgoingAnswer {
  /** An HTTP status; for an RPC, a gRPC status code, where 0 is success. */
  readonly status: number
  readonly headers?: Headers
  /** HTTP sends a string unchanged and other values as JSON. For a failed RPC, this is the message. */
  readonly body: unknown
  /** Sent unchanged, instead of `body`. */
  readonly raw?: Buffer
}

/** Never rejects. */
export type RequestHandler = (request: IncomingRequest) => Promise<OutgoingAnswer>

export interface ListeningServer {
  readonly port: number
  /** Stops listening and waits up to `graceMs` for active requests. */
  close(graceMs?: number): Promise<void>
}

export interface ServeOptions {
  readonly port: number
  readonly handler: RequestHandler
  /** The service name of gRPC and Thrift: `hipstershop.CartService`. */
  readonly rpc?: string
}

export interface ServiceCall {
  /** `GET`, `POST`; `RPC` for gRPC and Thrift. */
  readonly method: string
  /** The path with the query; for an RPC, `package.Service/Method`. */
  readonly target: string
  readonly headers: Headers
  readonly body?: unknown
  /** Sent unchanged, instead of `body`. */
  readonly raw?: Buffer
  /** Without it, a call waits until the connection is closed. */
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
   * Rejects with a CallFailure; a failed RPC has the kind `answer`. Over HTTP, resolves for every status.
   */
  call(call: ServiceCall): Promise<ServiceAnswer>
  close(): void
}

/** Retries of calls without a response. */
export interface Retry {
  /** The number of attempts, including the first. */
  readonly attempts: number
  readonly backoffMs: number
}

export interface ClientOptions {
  /** Resolves the address before each connection. */
  readonly address: () => Promise<{ host: string; port: number }>
  /** Whether `address` always resolves to the same address; false by default. */
  readonly isAddressFixed?: boolean
  /** The maximum number of connections; unlimited by default. */
  readonly poolSize?: number
  /** How long a call waits for a connection; unlimited by default. */
  readonly poolWaitMs?: number
}
