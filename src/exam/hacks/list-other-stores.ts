/** Lists stores that are unrelated to the fault, for hacks that damage their data. */
import { protocolOf } from '#exam/fault-parts'
import type { HackSetting } from '#spec'

/** The stores of this protocol, or of any, that no fault targets. */
export const listOtherStores = ({ system, target, targets = [] }: HackSetting, protocol?: string): string[] =>
  system.workloads
    .map(({ service }) => service)
    .filter(
      (service) =>
        ![target.service, ...targets].includes(service) &&
        system.topology?.services[service]?.behaviour.store !== undefined &&
        (protocol === undefined || protocolOf(system, service) === protocol),
    )
