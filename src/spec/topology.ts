/**
 * A microservice system as data: who serves what, whom it calls while it does, and how it is deployed. What is
 * written `Expression` is CEL, evaluated in the pod with what it has then: environment, files, request, earlier answers.
 */

/** CEL source: `request.body.tripId.startsWith("G")`. */
export type Expression = string

/** How a service is spoken to. */
export type Wire =
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

/** Whom a service talks to; the name is that of the service in the topology. */
export interface Upstream {
  /** `host:port`, from the environment as a rule; `name:port` of the service's own where absent. */
  readonly address?: Expression
  /** That of the service that is called where absent. */
  readonly wire?: Wire
  /** Milliseconds for each call; none where absent. */
  readonly timeout?: Expression
  /** Connections at most, and how long a call waits for one. */
  readonly pool?: { readonly size: Expression; readonly waitMs?: Expression }
  /** How often a call is tried in all where nobody answers it, and how long is waited in between. */
  readonly retry?: { readonly attempts: Expression; readonly backoffMs?: Expression }
  readonly login?: {
    readonly user: Expression
    readonly password: Expression
    readonly database?: Expression
  }
  /** The address is asked of this service (nacos, consul), not of DNS, by the name that the upstream registers. */
  readonly registry?: string
  /** Known and configured, and never called. */
  readonly dead?: boolean
}

/** What every step may say. */
interface StepFrame {
  /**
   * Done only where this is true; the result is null otherwise. Where it speaks of `it` or `index` and there is
   * `each`, it is asked for each element, and those for which it is false give no result.
   */
  readonly when?: Expression
  /**
   * Once for each element, which is `it`, with its place, which is `index`; the result is the list of results. What
   * is set on the way is there for the next element and afterwards, unless they are done together.
   */
  readonly each?: Expression
  /** All elements of `each` at the same time. A failure ends it when all have ended. */
  readonly together?: boolean
  /** The name under which later expressions find the result. */
  readonly as?: string
}

/** What a step that may fail says. */
interface FallibleStep extends StepFrame {
  /** False: a failure is logged, the result is null, and the endpoint goes on. True where absent. */
  readonly critical?: boolean
  /** Milliseconds; instead of the upstream's. */
  readonly timeout?: Expression
  /**
   * What the endpoint tells its caller where it fails by this; 500 or 13, and the failure's own words, where absent.
   * The message finds those words in `error`. Of a step that is not critical it is what is logged.
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
  /** Names of headers of the incoming request that are sent on. */
  readonly forward?: readonly string[]
}

/** One command to a data store, in that store's own words. Exactly one of the commands is there. */
export interface QueryStep extends FallibleStep {
  readonly query: string
  /** The result is the list of rows as maps; of a change `{"affected": n}`. */
  readonly sql?: string
  /** For each `?` of the statement. */
  readonly with?: readonly Expression[]
  /** Words of a Redis command; the result is the answer. */
  readonly redis?: readonly Expression[]
  /** `get`, `gets` (list of keys; answers a map), `set` (key, value[, seconds]), `delete`. */
  readonly memcached?: readonly Expression[]
  /** A command document, as of the Mongo shell's runCommand: `{"find": "users", "filter": {...}}`; of `find` the list. */
  readonly mongo?: Expression
  /** To a queue of a broker. */
  readonly publish?: { readonly queue: string; readonly message: Expression }
  /**
   * In the memory of the process, one per service, gone when it ends: `["get", key]`, `["set", key, value]`,
   * `["delete", key]`, `["all"]`. The name of the query is then `memory`.
   */
  readonly memory?: readonly Expression[]
}

/** Sends the request on as it is, and answers what comes back. */
export interface ProxyStep extends FallibleStep {
  readonly proxy: string
  /** Instead of the path and query of the request. */
  readonly target?: Expression
}

export interface SetStep extends StepFrame {
  readonly set: Readonly<Record<string, Expression>>
}

/** All at the same time. A failure ends it when all have ended; the first in the order of the steps is the one that counts. */
export interface ParallelStep extends StepFrame {
  readonly parallel: readonly Step[]
}

export interface LogStep extends StepFrame {
  readonly log: Expression
  readonly level?: LogLevel
}

/** Ends the endpoint with this answer. */
export interface ReturnStep extends StepFrame {
  readonly return: Expression
  readonly status?: Expression
}

/** Ends the endpoint with a failure: HTTP 500, gRPC INTERNAL, a Thrift exception. */
export interface FailStep extends StepFrame {
  readonly fail: Expression
  /** HTTP or gRPC; 500 and 13 where absent. */
  readonly status?: Expression
}

/** Does nothing for so many milliseconds. */
export interface WaitStep extends StepFrame {
  readonly wait: Expression
}

/** Steps that go together under one condition, or once for each element. */
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

/** What one request costs, besides what the calls cost. */
export interface Work {
  /** Milliseconds of a core. */
  readonly cpuMs?: number
  /** Held until the answer is sent. */
  readonly memoryKiB?: number
}

export interface Endpoint {
  readonly steps?: readonly Step[]
  /** The answer; null where absent. A string is sent as it is by HTTP, all else as JSON. */
  readonly reply?: Expression
  /** Of HTTP; 200 where absent. */
  readonly status?: Expression
  /** Headers of the answer: name to expression. */
  readonly headers?: Readonly<Record<string, Expression>>
  readonly work?: Work
  /** Requests a second at most; more are answered 429. */
  readonly limit?: number
}

/** The first rule that matches says who may ask: `anyone`, `authenticated`, or one of the roles. */
export interface AccessRule {
  readonly method?: string
  /** `**` matches the rest of the path, `*` one part. */
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
  /** Of programs that put time and level into the text themselves. */
  | 'verbatim'
  | 'plain'

/** What goes wrong in a bad release. */
export type Defect =
  | { readonly kind: 'hot-loop' }
  /** So that the heap is full, or the limit of memory is reached, within seconds, where it says neither. */
  | { readonly kind: 'leak'; readonly kibPerRequest?: number; readonly kibPerSecond?: number }
  | { readonly kind: 'crash' }
  | { readonly kind: 'slow'; readonly ms?: number }
  | { readonly kind: 'wrong-port' }
  /** Of a data store it is a command: `HSET`, `INSERT`. */
  | { readonly kind: 'failing-endpoint'; readonly endpoint?: string }

/** How a service behaves: all that its program gets to know of the topology, besides its upstreams' wires. */
export interface Behaviour {
  readonly wire: Wire
  /** The port it listens on. */
  readonly listen?: Expression
  /** The package and service of gRPC and Thrift: `hipstershop.CartService`. */
  readonly rpc?: string
  /** Files that are read at every start and are in `config`, by a name: `{path, format}`. */
  readonly files?: Readonly<
    Record<string, { readonly path: string; readonly format: 'json' | 'properties' | 'text' }>
  >
  /** Where the level of the log comes from; `info` where absent. */
  readonly logLevel?: Expression
  /** `host:port` of a Jaeger agent that gets its spans besides, in datagrams that nobody waits for. */
  readonly traces?: Expression
  readonly logFormat?: LogFormat
  /**
   * Each request is logged (at `debug`) when it comes and when it is answered, and as an error where it fails, with
   * these fields besides; for formats of log lines that have fields.
   */
  readonly accessLog?: Readonly<Record<string, Expression>>
  /** The page in HTML that answers a request that failed, with its `status` and `error`, instead of the framework's. */
  readonly failurePage?: Expression
  readonly upstreams?: Readonly<Record<string, Upstream>>
  /** How it makes itself known in a registry, which is an upstream too. */
  readonly register?: { readonly in: string; readonly as?: string; readonly port?: Expression }
  /**
   * Done before it listens; what they set is there for every endpoint. Where one fails it is tried again until
   * `startPatienceMs` are over, then the process ends with 1.
   */
  readonly start?: readonly Step[]
  readonly startPatienceMs?: number
  /** Variables of the environment without which it does not start. */
  readonly required?: readonly string[]
  /** How many entries `memory` keeps at most. */
  readonly memorySize?: Expression
  readonly access?: readonly AccessRule[]
  /** What signs and proves the tokens of `access`. */
  readonly tokenKey?: Expression
  /** Seconds after which a token is not taken any more, whatever it says itself; none where absent. */
  readonly tokenMaxAge?: Expression
  /** By `METHOD /path/{name}` for HTTP (`ANY`, and `{rest...}` at the end, are possible), by method for RPC. */
  readonly endpoints?: Readonly<Record<string, Endpoint>>
  /** By queue: what is done with each message, which is `message`. */
  readonly consumes?: Readonly<Record<string, { readonly from: string; readonly steps: readonly Step[] }>>
  /** Done again and again in the background, by a name; a failure is logged, and the next turn comes all the same. */
  readonly every?: Readonly<Record<string, { readonly everyMs: number; readonly steps: readonly Step[] }>>
  /** Every endpoint without its own. */
  readonly work?: Work
  /**
   * What the original's process takes. Here it is taken only where the container's limit of memory is lower: the
   * process then grows as it starts until the kernel ends it, as it would end the original.
   */
  readonly footprintMiB?: number
  /** Requests at the same time at most; others wait. No bound where absent. */
  readonly concurrency?: Expression
  /** Of data stores: users and what they may, folder, sizes; read by the store's program. */
  readonly store?: StoreSettings
  readonly defects?: readonly Defect[]
}

/** What the program of one image gets: one service of a topology, in one release. */
export interface ServiceSlice {
  readonly system: string
  readonly service: string
  /** The tag of the image. */
  readonly release: string
  readonly behaviour: Behaviour
  /** How the upstreams are spoken to, by name. */
  readonly wires: Readonly<Record<string, UpstreamWire>>
}

export interface UpstreamWire {
  readonly wire: Wire
  readonly rpc?: string
  /** The one that it listens on, where no address is given. */
  readonly port?: number
  /** What it calls itself in a registry, where that is another name. */
  readonly registeredAs?: string
}

export interface StoreSettings {
  /** Where it keeps what must survive. */
  readonly folder?: Expression
  /** Nobody is asked for a password where there are none. */
  readonly users?: readonly {
    readonly name: Expression
    readonly password: Expression
    readonly databases?: readonly string[]
  }[]
  /** Made at the first start. */
  readonly databases?: readonly string[]
  readonly maxConnections?: Expression
  readonly maxMemoryMiB?: Expression
  /** Of MongoDB: milliseconds that a search takes on its disk, one after another; none where absent. */
  readonly readMs?: Expression
}

/** What Kubernetes is told of a service, beside what follows from its behaviour. */
export interface Deployment {
  readonly kind?: 'Deployment' | 'StatefulSet'
  readonly replicas?: number
  readonly image: string
  /** Tags of the same image, besides the one that runs. */
  readonly releases?: Readonly<Record<string, Release>>
  /** The service's name where absent. */
  readonly container?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly command?: readonly string[]
  readonly args?: readonly string[]
  /** A value, or what `valueFrom` says: `{secret: name, key}`, `{configMap: name, key}`, `{field: status.hostIP}`. */
  readonly env?: Readonly<Record<string, string | Readonly<Record<string, string>>>>
  /** All keys of these become variables. */
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
  /** As in Kubernetes' spec, with a name; the service's own on its ports where absent; none where empty. */
  readonly services?: readonly { readonly name: string; readonly spec: object }[]
  readonly serviceAccount?: string
}

/** A release is the behaviour with these defects; one without is good. */
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
  /** Config maps, secrets, roles and what else is there before the workloads; as in Kubernetes. */
  readonly objects: readonly object[]
  readonly entryPoints: readonly {
    readonly name: string
    readonly service: string
    readonly port: number
    readonly path?: string
  }[]
}

/** One service calls another, or a store. */
export interface Edge {
  readonly from: string
  readonly to: string
}
