/** Validates the traffic control fields of a NetworkChaos and converts them to packet effects. */
import { defined } from '#kit'
import { type FieldError, invalid, required } from '#platform/kube/meta'
import type { PacketEffects } from '#platform/kube/ports'
import type { ChaosSpec } from '../chaos-object.ts'
import { parseDuration } from '../parse-duration.ts'
import { parseRate } from '../parse-rate.ts'

/** The defaults of netem: a queue of 1000 packets, and a burst of one packet. */
const NETEM_LIMIT_BYTES = 1000 * 1500
const NETEM_BUFFER_BYTES = 1600

const percentProblem = (text: string): string | undefined => {
  const value = text.trim() === '' ? Number.NaN : Number(text)
  if (Number.isNaN(value)) return `strconv.ParseFloat: parsing "${text}": invalid syntax`
  return value < 0 || value > 100 ? 'must be between 0 and 100' : undefined
}

const validatePercents = (holder: any, path: string, names: readonly string[]): FieldError[] =>
  names
    .filter((name) => holder?.[name] !== undefined)
    .flatMap((name) => {
      const problem = percentProblem(holder[name])
      return problem === undefined
        ? []
        : [invalid(`${path}.${name}`, holder[name], `parse ${name} field error:${problem}`)]
    })

const validateTimes = (holder: any, path: string, names: readonly string[]): FieldError[] =>
  names
    .filter((name) => holder?.[name] !== undefined && (parseDuration(holder[name]) ?? -1) < 0)
    .map((name) =>
      invalid(
        `${path}.${name}`,
        holder[name],
        `parse ${name} field error:time: invalid duration "${holder[name]}"`,
      ),
    )

const validateRate = (holder: any, path: string): FieldError[] =>
  holder === undefined || parseRate(holder.rate) !== undefined
    ? []
    : [invalid(`${path}.rate`, holder.rate, 'parse rate field error:invalid unit')]

/** `netem` needs at least one effect, and `partition` none. Every other action needs the field of the same name. */
const validatePresence = (spec: ChaosSpec): FieldError[] => {
  const { action } = spec
  if (action === 'partition') return []
  if (action !== 'netem')
    return spec[action] === undefined ? [required(`spec.${action}`, `must be set with action ${action}`)] : []
  return ['delay', 'loss', 'duplicate', 'corrupt', 'rate'].some((name) => spec[name] !== undefined)
    ? []
    : [required('spec', 'action netem needs one of delay, loss, duplicate, corrupt or rate')]
}

export const validatePacketEffects = (spec: ChaosSpec): FieldError[] => [
  ...validatePresence(spec),
  ...validateTimes(spec.delay, 'spec.delay', ['latency', 'jitter']),
  ...validatePercents(spec.delay, 'spec.delay', ['correlation']),
  ...validatePercents(spec.delay?.reorder, 'spec.delay.reorder', ['reorder', 'correlation']),
  ...['loss', 'duplicate', 'corrupt'].flatMap((name) =>
    validatePercents(spec[name], `spec.${name}`, [name, 'correlation']),
  ),
  ...validateRate(spec.bandwidth, 'spec.bandwidth'),
  ...validateRate(spec.rate, 'spec.rate'),
]

const toPercents = (part: any, name: string): { percent: number; correlation: number } => ({
  percent: Number(part[name]),
  correlation: Number(part.correlation ?? 0),
})

const toBandwidth = ({ rate, limit, buffer, peakrate, minburst }: any): PacketEffects['bandwidth'] => ({
  rate: parseRate(rate)!,
  limit,
  buffer,
  ...defined({ peakrate, minburst }),
})

const toDelay = ({ latency, jitter = '0ms', correlation = '0', reorder }: any): PacketEffects => ({
  delay: {
    latencyMs: parseDuration(latency)!,
    jitterMs: parseDuration(jitter)!,
    correlation: Number(correlation),
  },
  ...(reorder === undefined ? {} : { reorder: { ...toPercents(reorder, 'reorder'), gap: reorder.gap } }),
})

/** The spec must have passed `validatePacketEffects`. */
export const toPacketEffects = ({
  action,
  delay,
  loss,
  duplicate,
  corrupt,
  rate,
  bandwidth,
}: ChaosSpec): PacketEffects => {
  if (action === 'bandwidth') return { bandwidth: toBandwidth(bandwidth)! }
  return {
    ...(delay === undefined ? {} : toDelay(delay)),
    ...(loss === undefined ? {} : { loss: toPercents(loss, 'loss') }),
    ...(duplicate === undefined ? {} : { duplicate: toPercents(duplicate, 'duplicate') }),
    ...(corrupt === undefined ? {} : { corrupt: toPercents(corrupt, 'corrupt') }),
    ...(rate === undefined
      ? {}
      : { bandwidth: { rate: parseRate(rate.rate)!, limit: NETEM_LIMIT_BYTES, buffer: NETEM_BUFFER_BYTES } }),
  }
}
