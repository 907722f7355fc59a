/**
 * A microservice system as data: the endpoints of services, the calls that they make, and their deployment. An `Expression` is CEL,
 * evaluated in the pod with its environment, its files, the request and earlier results.
 */

/** CEL source: `request.body.tripId.startsWith("G")`. */
export type Expression = string

/** The protocol that a service speaks. */
export type Protocol =
  | 'http'
  | 'grpc'
  | 'thrift'
  | 'mysql'
  | 'redis'
  | 'memcached'
  | 'mongodb'
  | 'amqp'
  | 'nacos'
  | 'consul'
  | 'jaeger'

/** A service that another one calls; its key is the name in the topology. */
export interface Upstream {
  /** `host:port`, usually from the environment; by default the name and port of the called service. */
  readonly address?: Expression
  /** By default the protocol of the called service. */
  readonly protocol?: Protocol
  /** Milliseconds for each call; unlimited by default. */
  readonly timeout?: Expression
  /** The maximum number of connections, and how long a call waits for one. */
  readonly pool?: { readonly size: Expression; readonly waitMs?: Expression }
  /** The number of attempts of a call that gets no response, and the pause between them. */
  readonly retry?: { readonly attempts: Expression; readonly backoffMs?: Expression }
  readonly login?: {
    readonly user: Expression
    readonly password: Expression
    readonly database?: Expression
  }
  /** The service (Nacos, Consul) that resolves the upstream's registered name, instead of DNS. */
  readonly registry?: string
  /** Configured, but never called. */
  readonly dead?: boolean
}

/** Fields of every step. */
interface StepFrame {
  /**
   * The step runs only if this condition is true; otherwise its result is null. If the condition uses `it` or
   * `index` together with `each`, it is evaluated for each element, and elements for which it is false yield
   * no result.
   */
  readonly when?: Expression
  /**
   * Runs the step for each element of a list, available as `it` and `index`; the result is the list of
   * results. Variables that are set for one element are visible for the next ones and in later steps, unless
   * the elements run in parallel.
   */
  readonly each?: Expression
  /** Runs all elements of `each` in parallel. If one fails, the step fails after all have ended. */
  readonly together?: boolean
  /** The name of the result in later expressions. */
  readonly as?: string
}

/** Fields of a step that can fail. */
interface FallibleStep extends StepFrame {
  /** If false, a failure is logged, the result is null, and the endpoint continues. True by default. */
  readonly critical?: boolean
  /** Milliseconds; overrides the upstream's. */
  readonly timeout?: Expression
  /**
   * The response of the endpoint if it fails because of this step; by default HTTP 500 or gRPC 13, and the
   * message of the failure, which is `error` in expressions. For a step that is not critical, `message` is
   * the logged text.
   */
  readonly failure?: { readonly status?: Expression; readonly message?: Expression }
}

/** `call: cartservice GetCart`, `call: ts-order-service POST /api/v1/orderservice/order` */
export interface CallStep extends FallibleStep {
  readonly call: string
  /** Values of `{name}` in the path. */
  readonly path?: Readonly<Record<string, Expression>>
  /** The body or the message. */
  readonly send?: Expression
  /** Names of headers of the incoming request that are forwarded. */
  readonly forward?: readonly string[]
}

/** One command to a data store, in the store's own language. Exactly one of the commands must be given. */
export interface QueryStep extends FallibleStep {
  readonly query: string
  /** The result is the list of rows as maps, or `{"affected": n}` for a change. */
  readonly sql?: string
  /** The values of the placeholders `?` in the statement. */
  readonly with?: readonly Expression[]
  /** The words of a Redis command; the result is the reply. */
  readonly redis?: readonly Expression[]
  /** `get`, `gets` (list of keys; returns a map), `set` (key, value[, seconds]), `delete`. */
  readonly memcached?: readonly Expression[]
  /** A command document of the Mongo shell's runCommand: `{"find": "users", "filter": {...}}`; `find` returns the list. */
  readonly mongo?: Expression
  /** Publishes to a queue of a broker. */
  readonly publish?: { readonly queue: string; readonly message: Expression }
  /**
   * A command to the in-memory store of the process, which is lost when it exits: `["get", key]`,
   * `["set", key, value]`, `["delete", key]` or `["all"]`. `query` is then `memory`.
   */
  readonly memory?: readonly Expression[]
}

/** Forwards the request, and returns the response. */
export interface ProxyStep extends FallibleStep {
  readonly proxy: string
  /** Replaces the path and query of the request. */
  readonly target?: Expression
}

export interface SetStep extends StepFrame {
  readonly set: Readonly<Record<string, Expression>>
}

/** Runs steps in parallel. Fails after all have ended, with the first failure in the order of the steps. */
export interface ParallelStep extends StepFrame {
  readonly parallel: readonly Step[]
}

export interface LogStep extends StepFrame {
  readonly log: Expression
  readonly level?: LogLevel
}

/** Ends the endpoint with this response. */
export interface ReturnStep extends StepFrame {
  readonly return: Expression
  readonly status?: Expression
}

/** Ends the endpoint with a failure: HTTP 500, gRPC INTERNAL, a Thrift exception. */
export interface FailStep extends StepFrame {
  readonly fail: Expression
  /** The HTTP or gRPC status; 500 or 13 by default. */
  readonly status?: Expression
}

/** Waits for a number of milliseconds. */
export interface WaitStep extends StepFrame {
  readonly wait: Expression
}

/** Groups steps under one condition, or for each element. */
export interface DoStep extends StepFrame {
  readonly do: readonly Step[]
}

export type Step =
  | CallStep
  | QueryStep
  | ProxyStep
  | SetStep
  | ParallelStep
  | LogStep
  | ReturnStep
  | FailStep
  | WaitStep
  | DoStep

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** The cost of one request, without its calls. */
export interface Work {
  /** CPU time in milliseconds. */
  readonly cpuMs?: number
  /** Memory that is held until the response is sent. */
  readonly memoryKiB?: number
}

export interface Endpoint {
  readonly steps?: readonly Step[]
  /** The response; null by default. HTTP sends a string unchanged and everything else as JSON. */
  readonly reply?: Expression
  /** The HTTP status; 200 by default. */
  readonly status?: Expression
  /** Headers of the response: name to expression. */
  readonly headers?: Readonly<Record<string, Expression>>
  readonly work?: Work
  /** The maximum number of requests per second; others get 429. */
  readonly limit?: number
}

/** The first matching rule decides who has access: `anyone`, `authenticated`, or one of the roles. */
export interface AccessRule {
  readonly method?: string
  /** `**` matches the rest of the path, `*` one segment. */
  readonly path: string
  readonly allow: 'anyone' | 'authenticated' | readonly string[]
}

export type LogFormat =
  | 'spring'
  | 'go-json'
  | 'zerolog'
  | 'pino'
  | 'python'
  | 'thrift'
  | 'nginx'
  | 'redis'
  /** For programs that write time and level into the text themselves. */
  | 'verbatim'
  | 'plain'

/** A defect of a bad release. */
export type Defect =
  | { readonly kind: 'hot-loop' }
  /** The default rates exhaust the heap or the memory limit within seconds. */
  | { readonly kind: 'leak'; readonly kibPerRequest?: number; readonly kibPerSecond?: number }
  | { readonly kind: 'crash' }
  | { readonly kind: 'slow'; readonly ms?: number }
  | { readonly kind: 'wrong-port' }
  /** For a data store, `endpoint` is a command such as `HSET` or `INSERT`. */
  | { readonly kind: 'failing-endpoint'; readonly endpoint?: string }

/**
 * The behaviour of a service: everything that its program receives from the topology, except the protocols of
 * its upstreams.
 */
export interface Behaviour {
  readonly protocol: Protocol
  /** The port that it listens on. */
  readonly listen?: Expression
  /** The package and service of gRPC and Thrift: `hipstershop.CartService`. */
  readonly rpc?: string
  /** Files that are read at every start, as `config.NAME`. */
  readonly files?: Readonly<
    Record<string, { readonly path: string; readonly format: 'json' | 'properties' | 'text' }>
  >
  /** The log level; `info` by default. */
  readonly logLevel?: Expression
  /** `host:port` of a Jaeger agent that also receives the spans, over UDP. */
  readonly traces?: Expression
  readonly logFormat?: LogFormat
  /**
   * Logs each request with these fields: at `debug` when it arrives and when it is answered, and as an error
   * if it fails. Only for log formats that have fields.
   */
  readonly accessLog?: Readonly<Record<string, Expression>>
  /** The HTML page for failed requests; can use `status` and `error`. The framework's page by default. */
  readonly failurePage?: Expression
  readonly upstreams?: Readonly<Record<string, Upstream>>
  /** The registration in a registry, which is also an upstream. */
  readonly register?: { readonly in: string; readonly as?: string; readonly port?: Expression }
  /**
   * Steps that run before the service listens; their variables are visible in every endpoint. A failing step
   * is retried until `startTimeoutMs` has passed; then the process exits with code 1.
   */
  readonly start?: readonly Step[]
  readonly startTimeoutMs?: number
  /** Environment variables that it needs to start. */
  readonly required?: readonly string[]
  /** The maximum number of entries in `memory`. */
  readonly memorySize?: Expression
  readonly access?: readonly AccessRule[]
  /** The key that signs and verifies the tokens of `access`. */
  readonly tokenKey?: Expression
  /** The maximum age of a token in seconds, regardless of its own expiry; unlimited by default. */
  readonly tokenMaxAge?: Expression
  /**
   * The keys are `METHOD /path/{name}` for HTTP (also `ANY`, and `{rest...}` at the end), and methods for
   * RPC.
   */
  readonly endpoints?: Readonly<Record<string, Endpoint>>
  /** The steps for each `message` of a queue, by queue. */
  readonly consumes?: Readonly<Record<string, { readonly from: string; readonly steps: readonly Step[] }>>
  /** Periodic background work by name; a failure is logged, and the next run takes place as scheduled. */
  readonly every?: Readonly<Record<string, { readonly everyMs: number; readonly steps: readonly Step[] }>>
  /** The default for endpoints that declare no `work`. */
  readonly work?: Work
  /**
   * The memory of the original's process. It is allocated only if the container's limit is lower: the process
   * then grows at its start until the kernel kills it, as would happen to the original.
   */
  readonly footprintMiB?: number
  /** The maximum number of concurrent requests; others wait. Unlimited by default. */
  readonly concurrency?: Expression
  /** Settings of a data store: users, folder, sizes. */
  readonly store?: StoreSettings
  readonly defects?: readonly Defect[]
}

/** The input of the program of one image: one service of a topology in one release. */
export interface ServiceSlice {
  readonly system: string
  readonly service: string
  /** The tag of the image. */
  readonly release: string
  readonly behaviour: Behaviour
  /** The protocols of the upstreams, by name. */
  readonly protocols: Readonly<Record<string, UpstreamProtocol>>
}

export interface UpstreamProtocol {
  readonly protocol: Protocol
  readonly rpc?: string
  /** The port that it listens on, if no address is given. */
  readonly port?: number
  /** Its name in a registry, if that differs. */
  readonly registeredAs?: string
}

export interface StoreSettings {
  /** The folder for persistent data. */
  readonly folder?: Expression
  /** Without users, no password is required. */
  readonly users?: readonly {
    readonly name: Expression
    readonly password: Expression
    readonly databases?: readonly string[]
  }[]
  /** Created at the first start. */
  readonly databases?: readonly string[]
  readonly maxConnections?: Expression
  readonly maxMemoryMiB?: Expression
  /** MongoDB: milliseconds of disk time per search, spent sequentially; 0 by default. */
  readonly readMs?: Expression
}

/** The settings of a service's deployment that do not follow from its behaviour. */
export interface Deployment {
  readonly kind?: 'Deployment' | 'StatefulSet'
  readonly replicas?: number
  readonly image: string
  /** Other tags of the same image. */
  readonly releases?: Readonly<Record<string, Release>>
  /** The name of the container; the name of the service by default. */
  readonly container?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly command?: readonly string[]
  readonly args?: readonly string[]
  /** A value, or a source: `{secret: name, key}`, `{configMap: name, key}`, `{field: status.hostIP}`. */
  readonly env?: Readonly<Record<string, string | Readonly<Record<string, string>>>>
  /** All keys become environment variables. */
  readonly envFrom?: readonly { readonly secret?: string; readonly configMap?: string }[]
  readonly resources?: object
  readonly ports?: readonly number[]
  /** As in Kubernetes. */
  readonly readinessProbe?: object
  readonly livenessProbe?: object
  readonly startupProbe?: object
  readonly volumes?: readonly object[]
  readonly volumeMounts?: readonly object[]
  readonly volumeClaimTemplates?: readonly object[]
  readonly sidecars?: readonly object[]
  readonly initContainers?: readonly object[]
  readonly securityContext?: object
  readonly terminationGracePeriodSeconds?: number
  /** Names and specs as in Kubernetes; one Service with the ports by default, none for an empty list. */
  readonly services?: readonly { readonly name: string; readonly spec: object }[]
  readonly serviceAccount?: string
}

/** A release has the behaviour of the service with these defects. Without defects, it is good. */
export interface Release {
  readonly defects?: readonly Defect[]
}

export interface ServiceTopology {
  readonly about: string
  readonly behaviour: Behaviour
  readonly deploy: Deployment
}

export interface Topology {
  readonly system: string
  readonly about: string
  readonly namespace: string
  readonly services: Readonly<Record<string, ServiceTopology>>
  /** ConfigMaps, Secrets, roles and other objects that are created before the workloads. */
  readonly objects: readonly object[]
  readonly entryPoints: readonly {
    readonly name: string
    readonly service: string
    readonly port: number
    readonly path?: string
  }[]
}

/** A call from one service to another service or a store. */
export interface Edge {
  readonly from: string
  readonly to: string
}
