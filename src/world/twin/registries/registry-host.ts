/** The resources that registries and their clients use. A twin's host provides them. */
import type { TwinHost, TwinProtocols } from '#world/twin/ports'

export interface RegistryHost extends Pick<TwinHost, 'time' | 'random'> {
  readonly protocols: Pick<TwinProtocols, 'serviceServer' | 'serviceClient'>
}
