/** Edits and judges the probes of the main container. */
import { isDeepStrictEqual } from 'node:util'
import {
  type ApiObject,
  type CauseSnapshot,
  type ContainerView,
  type FaultCase,
  type Finding,
  JUDGING_RULES,
  type ProbeName,
  type SystemView,
} from '#spec'
import { toNetworkCheck } from './command-checks.ts'
import { containerIn, mainContainer, mainContainerIn } from './containers.ts'
import { isTolerant, MAX_TIMING_FACTOR, startsInTime } from './probe-tolerance.ts'

/** Removes the old handler, which a strategic patch would keep next to the new one. */
const NO_HANDLER = { exec: null, httpGet: null, tcpSocket: null, grpc: null }

/** A strategic patch of the pod spec that replaces the check of the probe and the given timing, or removes the probe if undefined. */
export const withProbe = (
  { system, target }: FaultCase,
  field: ProbeName,
  probe: object | undefined,
): object => ({
  containers: [
    {
      name: mainContainer(system, target.service).name,
      [field]: probe === undefined ? null : { ...NO_HANDLER, ...probe },
    },
  ],
})

/** The first version of the rules in which a repaired probe must tolerate failures. */
const RULES_WITH_TOLERANCE = 5
/** The first version of the rules that recognises the requests of commands, and judges a probe of the start. */
const RULES_WITH_COMMANDS = 7

/** Removes the old timing, so that the defaults apply to what the new probe does not set. */
const NO_TIMING = {
  initialDelaySeconds: null,
  periodSeconds: null,
  timeoutSeconds: null,
  successThreshold: null,
  failureThreshold: null,
}

/** The same, but all timing that is not given returns to its default. */
export const withWholeProbe = (faultCase: FaultCase, field: ProbeName, probe: object | undefined): object =>
  withProbe(faultCase, field, probe && { ...NO_TIMING, ...probe })

/** The deployed probe. */
export const deployedProbe = (system: SystemView, service: string, field: ProbeName): object | undefined =>
  mainContainer(system, service)[field]

/** The probe of the target's main container in a workload. */
export const probeIn = (workload: ApiObject, faultCase: FaultCase, field: ProbeName): unknown =>
  mainContainerIn(workload, faultCase)?.[field]

/** A port that the container does not declare: the next above 8080 and above its own ports. */
export const unusedPort = (container: ContainerView): number => {
  const used = (container.ports ?? []).map(({ containerPort }) => containerPort)
  return Math.max(8080, ...used) + 1
}

const HANDLERS = Object.keys(NO_HANDLER)
const ALL_PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const

/** The check of the deployed probe without its timing, or a connection to the first port if there is none. */
export const deployedCheck = (system: SystemView, service: string, field: ProbeName): object => {
  const { ports = [], [field]: probe } = mainContainer(system, service)
  if (probe === undefined) return { tcpSocket: { port: ports[0]?.containerPort ?? 80 } }
  return Object.fromEntries(Object.entries(probe).filter(([name]) => HANDLERS.includes(name)))
}

interface Handler {
  readonly scheme?: string
  readonly httpHeaders?: readonly object[]
  readonly port?: number | string
}

const OWN_ADDRESS = /^(?:localhost|127\.0\.0\.1)?:(\d+)$/

/** The gRPC check that a command performs on its own container; undefined if it does something else. */
const toGrpcCheck = ([program, ...words]: readonly string[]): object | undefined => {
  if (program === undefined || !program.endsWith('/grpc_health_probe')) return undefined
  const flags = new Map<string, string>()
  for (const [index, word] of words.entries()) {
    const [, name, value] = /^--?([\w-]+)(?:=(.*))?$/.exec(word) ?? []
    if (name !== undefined) flags.set(name, value ?? words[index + 1] ?? '')
  }
  const [, port] = OWN_ADDRESS.exec(flags.get('addr') ?? '') ?? []
  return port === undefined ? undefined : { port: Number(port), service: flags.get('service') ?? '' }
}

/** The check that a command performs; undefined if it is not known. */
const toKnownCheck = (command: readonly string[], rules: number): readonly [string, object] | undefined => {
  const grpc = toGrpcCheck(command)
  if (grpc !== undefined) return ['grpc', grpc]
  const network = rules < RULES_WITH_COMMANDS ? undefined : toNetworkCheck(command)
  return network && Object.entries(network)[0]
}

/** Treats a probe and a command that makes the same request as the same check. */
const normaliseCheck = (name: string, handler: object, rules: number): readonly [string, object] => {
  if (name === 'grpc') return [name, { service: '', ...handler }]
  const { command = [] } = handler as { readonly command?: readonly string[] }
  return (name === 'exec' ? toKnownCheck(command, rules) : undefined) ?? [name, handler]
}

/**
 * The check of a probe without its timing, without defaults that the API adds, and with port numbers instead of names. Headers do not
 * matter: the right endpoint answers without them.
 */
const checkOf = (probe: unknown, container: ContainerView | undefined, rules: number): object =>
  Object.fromEntries(
    Object.entries((probe ?? {}) as Readonly<Record<string, object | null>>)
      .filter(([name, handler]) => HANDLERS.includes(name) && handler !== null)
      .map(([kind, declared]) => {
        const [name, handler] = normaliseCheck(kind, declared as object, rules)
        const { scheme: _, httpHeaders: __, port, ...rest } = handler as Handler
        const number =
          container?.ports?.find((containerPort) => containerPort.name === port)?.containerPort ?? port
        return [name, number === undefined ? rest : { ...rest, port: number }]
      }),
  )

const USUAL_TIMING: Readonly<Record<string, number>> = {
  initialDelaySeconds: 20,
  periodSeconds: 10,
  timeoutSeconds: 10,
  failureThreshold: 3,
  successThreshold: 1,
}

const hasSaneTiming = (probe: unknown, before: unknown): boolean =>
  Object.entries(USUAL_TIMING).every(([setting, usualValue]) => {
    const [now, former] = [probe, before].map((value) =>
      Number((value as Record<string, unknown>)?.[setting] ?? 0),
    )
    return now! <= MAX_TIMING_FACTOR * Math.max(usualValue, former!)
  })

/**
 * Whether the check is the former one. If there was none, the check of another probe of the container is accepted, or a
 * connection to one of its ports.
 */
const hasSameCheck = (
  now: unknown,
  before: ContainerView | undefined,
  { field, rules }: { readonly field: ProbeName; readonly rules: number },
): boolean => {
  const check = checkOf(now, before, rules)
  const isSame = (probe: unknown): boolean => isDeepStrictEqual(check, checkOf(probe, before, rules))
  if (before?.[field] !== undefined) return isSame(before[field])
  return (
    ALL_PROBES.some((name) => before?.[name] !== undefined && isSame(before[name])) ||
    (before?.ports ?? []).some(({ containerPort }) => isSame({ tcpSocket: { port: containerPort } }))
  )
}

/** Whether the probe of the start is the former one, or performs a right check and gives the program a sane time to start. */
const isStartRight = (
  before: ContainerView | undefined,
  after: ContainerView | undefined,
  rules: number,
): boolean => {
  const [former, current] = [before?.startupProbe, after?.startupProbe]
  if (rules < RULES_WITH_COMMANDS || isDeepStrictEqual(current, former)) return true
  return (
    current !== undefined &&
    hasSameCheck(current, before, { field: 'startupProbe', rules }) &&
    startsInTime(current)
  )
}

/** Judges whether the probe performs the same check as before the fault, with sane timing and enough tolerance. A probe that always succeeds does not count. */
export const judgeProbe = (snapshot: CauseSnapshot, field: ProbeName): Finding => {
  const { system, target, baseline, now, rules = JUDGING_RULES } = snapshot
  const [before, after] = [baseline, now].map((objects) =>
    containerIn(objects, system.workloadOf(target.service), mainContainer(system, target.service).name),
  )
  const [former, current] = [before?.[field], after?.[field]]
  const isSame = isDeepStrictEqual(current, former)
  const isCorrect =
    current !== undefined &&
    hasSameCheck(current, before, { field, rules }) &&
    hasSaneTiming(current, former) &&
    (rules < RULES_WITH_TOLERANCE || isTolerant(current, former, field))
  const isStart = isStartRight(before, after, rules)
  const start = isStart ? '' : `, and its startupProbe is ${JSON.stringify(after?.startupProbe ?? null)}`
  return {
    holds: after !== undefined && isStart && (isSame || isCorrect),
    evidence: `the ${field} of ${target.service} is ${JSON.stringify(current ?? null)}${start}; before the fault it was ${JSON.stringify(former ?? null)}`,
  }
}
