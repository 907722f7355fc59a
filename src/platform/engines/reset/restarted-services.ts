/** Services of a system that a reset treats in a special way: registries and stores. */
import type { System } from '#spec'

/** Returns the services that keep registrations of other services in memory. Clients of Consul register only when they start. */
export const registriesOf = (system: System | undefined): ReadonlySet<string> =>
  new Set(
    Object.entries(system?.topology?.services ?? {})
      .filter(([, { behaviour }]) => behaviour.protocol === 'consul')
      .map(([name]) => name),
  )

/** Returns the services that store data. */
export const storesOf = (system: System | undefined): ReadonlySet<string> =>
  new Set(
    Object.entries(system?.topology?.services ?? {})
      .filter(([, { behaviour }]) => behaviour.store !== undefined)
      .map(([name]) => name),
  )
