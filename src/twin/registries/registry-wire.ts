/** The contracts of this room: programs that registries' pods run, and clients in the pods of those who use them. */
import type { ListeningServer, StoreServerOptions } from '../ports/index.ts'

export type RegistryWire = 'nacos' | 'consul'

export type RegistryServerOptions = Pick<
  StoreServerOptions,
  'port' | 'environment' | 'fails' | 'log' | 'onCommand'
>

/** Resolves when it listens. */
export type StartRegistryServer = (options: RegistryServerOptions) => Promise<ListeningServer>

export interface Address {
  readonly host: string
  readonly port: number
}

export interface RegisteredInstance extends Address {
  /** The name under which others ask for it. */
  readonly service: string
}

export interface RegistryClientOptions {
  /** Of the registry's servers: where one fails the next is asked. */
  readonly addresses: readonly Address[]
  /** Registrations, first look-ups and some beats go through here, to be seen from outside. */
  observe?<T>(operation: string, work: () => Promise<T>): Promise<T>
}

export interface RegistryClient {
  /** Then keeps it alive, as far as the registry asks for that. Rejects with a CallFailure. */
  register(instance: RegisteredInstance): Promise<void>
  /** In turn among those that are known; rejects with a CallFailure, of kind `name` where there are none. */
  resolve(service: string): Promise<Address>
  close(): Promise<void>
}

export type CreateRegistryClient = (options: RegistryClientOptions) => RegistryClient
