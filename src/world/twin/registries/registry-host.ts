/** What registries and their clients use of the process that runs them. A twin's host provides it. */
import type { TwinHost, TwinProtocols } from '#world/twin/ports'

export interface RegistryHost extends Pick<TwinHost, 'time' | 'random'> {
  readonly protocols: Pick<TwinProtocols, 'serviceServer' | 'serviceClient'>
}
