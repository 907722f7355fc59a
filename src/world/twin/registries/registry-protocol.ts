/** The interfaces of registry servers and clients. */
export type {
  Address,
  CreateRegistryClient,
  RegisteredInstance,
  RegistryClient,
  RegistryClientOptions,
  RegistryProtocol,
  RegistryServerOptions,
  StartRegistryServer,
} from '#world/twin/ports'
