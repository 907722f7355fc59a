/** StressChaos: runs processes in a container that use its CPU and memory. */

import { nodes } from '#platform/kube/kinds'
import { type FieldError, invalid, unitValue } from '#platform/kube/meta'
import type { StressFault } from '#platform/kube/ports'
import { defineChaosKind, type Injection, singleSelection } from '../chaos-kind.ts'
import type { ChaosSpec } from '../chaos-object.ts'
import { containerChoice, fields, integer, POD_CHOICE_REQUIRED, text, texts } from '../chaos-schema.ts'
import { parseDuration } from '../parse-duration.ts'
import { parseSize } from '../parse-size.ts'

interface CpuStressor {
  workers: number
  load?: number
  options?: readonly string[]
}

interface MemoryStressor {
  workers: number
  size?: string
  time?: string
  oomScoreAdj?: number
  options?: readonly string[]
}

interface Stressors {
  cpu?: CpuStressor
  memory?: MemoryStressor
}

const workers = integer({ minimum: 1, maximum: 8192 })

const validate = ({ stressors, stressngStressors = '' }: ChaosSpec): FieldError[] => {
  const { cpu, memory } = (stressors ?? {}) as Stressors
  if (stressngStressors === '' && cpu === undefined && memory === undefined)
    return [invalid('spec.stressors', stressors ?? {}, 'missing stressors')]
  const { size = '', time = '' } = memory ?? {}
  return [
    ...(parseSize(size) === undefined
      ? [invalid('spec.stressors.memory.size', size, 'incorrect bytes format: must be like 256MB or 50%')]
      : []),
    ...(time !== '' && (parseDuration(time) ?? -1) < 0
      ? [invalid('spec.stressors.memory.time', time, `parse time field error: invalid duration "${time}"`)]
      : []),
  ]
}

/** Resolves a percentage against the container's memory limit, or the node's capacity if there is none. */
const toBytes = (size: string, { client, pod, containerTarget }: Injection): number => {
  const parsed = parseSize(size)!
  if ('bytes' in parsed) return parsed.bytes
  const container = pod.spec.containers.find(({ name }) => name === containerTarget.container)
  const limit = container?.resources?.limits?.memory
  const total = limit ?? client.get(nodes, '', pod.spec.nodeName ?? '')?.status.capacity?.memory
  return Math.floor((unitValue(total) * parsed.percent) / 100)
}

/** Returns arguments for stress-ng, which runs stressors that have options. */
const toArguments = ({ cpu, memory }: Stressors, bytes: number): string[] => [
  ...(memory === undefined
    ? []
    : ['--vm', `${memory.workers}`, '--vm-keep', '--vm-bytes', `${bytes}`, ...(memory.options ?? [])]),
  ...(cpu === undefined
    ? []
    : ['--cpu', `${cpu.workers}`, '--cpu-load', `${cpu.load ?? 100}`, ...(cpu.options ?? [])]),
]

const splitWords = (line: string): string[] => line.split(/\s+/).filter((word) => word !== '')

const toFault = (injection: Injection): StressFault => {
  const { spec } = injection.chaos
  const head = { type: 'stress', target: injection.containerTarget } as const
  if (spec.stressngStressors) return { ...head, arguments: splitWords(spec.stressngStressors) }
  const stressors: Stressors = spec.stressors
  const { cpu, memory } = stressors
  const bytes = memory === undefined ? 0 : toBytes(memory.size ?? '', injection)
  const options = [...(cpu?.options ?? []), ...(memory?.options ?? [])]
  if (options.length > 0) return { ...head, arguments: toArguments(stressors, bytes).flatMap(splitWords) }
  return {
    ...head,
    ...(cpu === undefined ? {} : { cpu: { workers: cpu.workers, load: cpu.load ?? 100 } }),
    ...(memory === undefined
      ? {}
      : {
          memory: {
            workers: memory.workers,
            bytes,
            growMs: memory.time === undefined || memory.time === '' ? 0 : parseDuration(memory.time)!,
            oomScoreAdj: memory.oomScoreAdj ?? 0,
          },
        }),
  }
}

export const stressChaos = defineChaosKind({
  kind: 'StressChaos',
  hasAction: false,
  properties: {
    ...containerChoice,
    stressors: fields({
      cpu: fields({ workers, load: integer({ minimum: 0, maximum: 100 }), options: texts() }, ['workers']),
      memory: fields(
        {
          workers,
          size: text({ description: 'The size per worker, such as 256MB or 50%. Defaults to 100%.' }),
          time: text({ description: 'The time to reach the size, such as 10s. Defaults to 0s.' }),
          oomScoreAdj: integer({ minimum: -1000, maximum: 1000 }),
          options: texts(),
        },
        ['workers'],
      ),
    }),
    stressngStressors: text({ description: 'Arguments for stress-ng; replaces stressors.' }),
  },
  required: POD_CHOICE_REQUIRED,
  validate,
  selections: singleSelection('container'),
  faults: (injection) => [toFault(injection)],
})
