/** Formats the description of a system as text. */

import { toTable } from '#lab/text'
import type { ArrivalPattern, LoadProfile } from '#spec'
import type { SystemDescription } from './describe-system.ts'

const arrivalsText = ({ kind, ...rest }: ArrivalPattern): string =>
  `${kind} (${Object.entries(rest)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')})`

const loadText = (load: LoadProfile): string =>
  load.loop === 'open'
    ? `open loop, ${arrivalsText(load.arrivals)}`
    : `closed loop, ${load.users} users with ${load.thinkMs.min} to ${load.thinkMs.max} ms of think time`

const indent = (text: string): string => text.replaceAll(/^/gm, '  ')

export const systemText = (system: SystemDescription): string => {
  const { name, about, namespace, entryPoints, services, journeys, load } = system
  const entryRows = entryPoints.map((entryPoint) => [
    entryPoint.name,
    `${entryPoint.service}.${entryPoint.namespace}:${entryPoint.port}`,
    entryPoint.path ?? '/',
  ])
  const serviceRows = services.map((service) => [
    ...[service.name, service.protocol ?? '-', service.ports.join(' ') || '-', String(service.replicas)],
    service.releases.join(' '),
  ])
  const journeyRows = journeys.map((journey) => [journey.name, String(journey.weight), journey.about ?? '-'])
  return [
    `${name}: ${about}. Namespace: ${namespace}.`,
    `Entry points:\n${indent(toTable(['NAME', 'SERVICE', 'PATH'], entryRows))}`,
    `Services:\n${indent(toTable(['NAME', 'PROTOCOL', 'PORTS', 'REPLICAS', 'RELEASES'], serviceRows))}`,
    ...(journeyRows.length === 0
      ? []
      : [`Journeys:\n${indent(toTable(['NAME', 'WEIGHT', 'DESCRIPTION'], journeyRows))}`]),
    ...(load === undefined ? [] : [`Default load: ${loadText(load)}.`]),
  ].join('\n\n')
}
