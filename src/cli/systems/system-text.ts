/** The description of a system as people read it. */
import type { ArrivalPattern, LoadProfile } from '../../spec/index.ts'
import { toTable } from '../table.ts'
import type { SystemDescription } from './describe-system.ts'

const arrivalsText = ({ kind, ...rest }: ArrivalPattern): string =>
  `${kind} (${Object.entries(rest)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')})`

const loadText = (load: LoadProfile): string =>
  load.loop === 'open'
    ? `journeys begin by themselves: ${arrivalsText(load.arrivals)}`
    : `${load.users} users, who think ${load.thinkMs.least} to ${load.thinkMs.most} ms between journeys`

const indented = (text: string): string => text.replaceAll(/^/gm, '  ')

export const systemText = (system: SystemDescription): string => {
  const { name, about, namespace, entryPoints, services, journeys, load } = system
  const doors = entryPoints.map((door) => [
    ...[door.name, `${door.service}.${door.namespace}:${door.port}`, door.path ?? '/'],
  ])
  const rows = services.map((service) => [
    ...[service.name, service.wire ?? '-', service.ports.join(' ') || '-', String(service.replicas)],
    service.releases.join(' '),
  ])
  const walks = journeys.map((journey) => [journey.name, String(journey.weight), journey.about ?? '-'])
  return [
    `${name}: ${about}. Its namespace is ${namespace}.`,
    `Entry points:\n${indented(toTable(['NAME', 'SERVICE', 'PATH'], doors))}`,
    `Services:\n${indented(toTable(['NAME', 'WIRE', 'PORTS', 'REPLICAS', 'RELEASES'], rows))}`,
    ...(walks.length === 0 ? [] : [`Journeys:\n${indented(toTable(['NAME', 'WEIGHT', 'ABOUT'], walks))}`]),
    ...(load === undefined ? [] : [`Load by default: ${loadText(load)}.`]),
  ].join('\n\n')
}
