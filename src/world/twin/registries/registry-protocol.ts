/** The interfaces of registry servers and clients. */
export type {
  Address,
  CreateRegistryClient,
  RegisteredInstance,
  RegistryClient,
  RegistryProtocol,
  StartRegistryServer,
} from '#world/twin/ports'
