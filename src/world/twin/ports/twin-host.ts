/** The port between a twin and the process that runs it: an operating-system process in a pod, or a simulated container. */
import type { ProgramResources, Protocol, Span } from '#spec'
import type {
  Address,
  CreateRegistryClient,
  RegistryProtocol,
  StartRegistryServer,
} from './registry-protocol.ts'
import type { ClientOptions, ListeningServer, ServeOptions, ServiceClient } from './service-protocol.ts'
import type { StartStoreServer, StoreClient, StoreClientOptions } from './store-protocol.ts'

export type ServiceProtocol = 'http' | 'grpc' | 'thrift'
export type StartServiceServer = (options: ServeOptions) => Promise<ListeningServer>
export type CreateServiceClient = (options: ClientOptions) => ServiceClient
export type CreateStoreClient = (options: StoreClientOptions) => StoreClient

/** The protocols of the host, loaded on first use. */
export interface TwinProtocols {
  serviceServer(protocol: ServiceProtocol): Promise<StartServiceServer>
  serviceClient(protocol: ServiceProtocol): Promise<CreateServiceClient>
  storeServer(protocol: Protocol): Promise<StartStoreServer>
  storeClient(protocol: Protocol): Promise<CreateStoreClient>
  registryServer(protocol: RegistryProtocol | 'jaeger'): Promise<StartRegistryServer>
  registryClient(protocol: RegistryProtocol): Promise<CreateRegistryClient>
}

/** Counts of the host that the metrics of a twin include. */
export interface HostCounts {
  readonly droppedSpans: number
  readonly droppedLines: number
  /** Open files and connections. */
  readonly openDescriptors: number
}

export interface TwinHost extends ProgramResources {
  /** The name of the pod. */
  readonly pod: string
  /** The address of the pod. */
  readonly address: string
  readonly protocols: TwinProtocols
  /** Writes a line, including its line break, to the log of the container. */
  write(line: string): void
  /** `agent` is the agent of a trace store, to which the span is also sent. It is the same for all spans. */
  exportSpan(span: Span, agent?: Address): void
  counts(): HostCounts
}
