/** Edits of the probes of the container that serves. */
import { isDeepStrictEqual } from 'node:util'
import type {
  ApiObject,
  ContainerView,
  FaultCase,
  Finding,
  ProbeName,
  Scene,
  SystemView,
} from '../spec/index.ts'
import { containerIn, mainContainer, podSpecOf } from './containers.ts'

/** Without this a patch would leave the old way of asking beside the new one. */
const NO_WAY = { exec: null, httpGet: null, tcpSocket: null, grpc: null }

/** A strategic patch of the pod's spec that makes the probe this one and nothing else. */
export const withProbe = (
  { system, target }: FaultCase,
  field: ProbeName,
  probe: object | undefined,
): object => ({
  containers: [
    {
      name: mainContainer(system, target.service).name,
      [field]: probe === undefined ? null : { ...NO_WAY, ...probe },
    },
  ],
})

/** The probe as the system is deployed with it. */
export const deployedProbe = (system: SystemView, service: string, field: ProbeName): object | undefined =>
  mainContainer(system, service)[field] as object | undefined

/** The probe in a workload as it is. */
export const probeIn = (workload: ApiObject, { system, target }: FaultCase, field: ProbeName): unknown =>
  podSpecOf(workload).containers.find(({ name }) => name === mainContainer(system, target.service).name)?.[
    field
  ]

/** A port that the container does not listen on: the one beside its own. */
export const wrongPort = (container: ContainerView): number => {
  const ports = (container.ports ?? []) as readonly { readonly containerPort: number }[]
  const used = ports.map(({ containerPort }) => containerPort)
  return Math.max(8080, ...used) + 1
}

const WAYS = Object.keys(NO_WAY)
const ALL_PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe']

interface Way {
  readonly scheme?: string
  readonly httpHeaders?: readonly object[]
  readonly port?: number | string
}

interface Port {
  readonly name?: string
  readonly containerPort: number
}

const portsOf = (container: ContainerView | undefined): readonly Port[] =>
  (container?.ports ?? []) as readonly Port[]

const OWN_ADDRESS = /^(?:localhost|127\.0\.0\.1)?:(\d+)$/

/** The question of gRPC that a command asks of its own container, or nothing where it does something else. */
const grpcAskedBy = ([program, ...words]: readonly string[]): object | undefined => {
  if (program === undefined || !program.endsWith('/grpc_health_probe')) return undefined
  const flags = new Map<string, string>()
  for (const [at, word] of words.entries()) {
    const [, name, value] = /^--?([\w-]+)(?:=(.*))?$/.exec(word) ?? []
    if (name !== undefined) flags.set(name, value ?? words[at + 1] ?? '')
  }
  const [, port] = OWN_ADDRESS.exec(flags.get('addr') ?? '') ?? []
  return port === undefined ? undefined : { port: Number(port), service: flags.get('service') ?? '' }
}

/** The same question by Kubernetes itself or by the program that everybody puts into the image. */
const toQuestion = (name: string, way: object): readonly [string, object] => {
  if (name === 'grpc') return [name, { service: '', ...way }]
  const asked =
    name === 'exec' ? grpcAskedBy((way as { command?: readonly string[] }).command ?? []) : undefined
  return asked === undefined ? [name, way] : ['grpc', asked]
}

/**
 * How it asks, without how often; only what was said, as the API adds what is usual, and ports by their number. Headers are left out:
 * whoever asks at the right place hears the right answer without them.
 */
const wayOf = (probe: unknown, container: ContainerView | undefined): object =>
  Object.fromEntries(
    Object.entries((probe ?? {}) as Readonly<Record<string, object | null>>)
      .filter(([name, way]) => WAYS.includes(name) && way !== null)
      .map(([asked, by]) => {
        const [name, way] = toQuestion(asked, by as object)
        const { scheme: _, httpHeaders: __, port, ...said } = way as Way
        const number = portsOf(container).find((one) => one.name === port)?.containerPort ?? port
        return [name, number === undefined ? said : { ...said, port: number }]
      }),
  )

/** What a probe may take before it says that something is wrong: three times what it took, or what is usual. */
const PATIENCE = 3
const USUAL: Readonly<Record<string, number>> = {
  initialDelaySeconds: 20,
  periodSeconds: 10,
  timeoutSeconds: 10,
  failureThreshold: 3,
  successThreshold: 1,
}

const isSane = (probe: unknown, before: unknown): boolean =>
  Object.entries(USUAL).every(([count, usual]) => {
    const [is, was] = [probe, before].map((one) => Number((one as Record<string, unknown>)?.[count] ?? 0))
    return is! <= PATIENCE * Math.max(usual, was!)
  })

/** Whether it asks as it did; where there was none, as another probe of the container does, or whether anybody listens there. */
const asksAsBefore = (now: unknown, before: ContainerView | undefined, field: ProbeName): boolean => {
  const way = wayOf(now, before)
  const isWay = (probe: unknown): boolean => isDeepStrictEqual(way, wayOf(probe, before))
  if (before?.[field] !== undefined) return isWay(before[field])
  return (
    ALL_PROBES.some((name) => before?.[name] !== undefined && isWay(before[name])) ||
    portsOf(before).some(({ containerPort }) => isWay({ tcpSocket: { port: containerPort } }))
  )
}

/** Whether the probe asks again as before the fault, soon and often enough; a probe that says yes to everything asks nothing. */
export const asksRightly = (scene: Scene, field: ProbeName): Finding => {
  const { system, target, baseline, now } = scene
  const [before, after] = [baseline, now].map((objects) =>
    containerIn(objects, system.workloadOf(target.service), mainContainer(system, target.service).name),
  )
  const [was, is] = [before?.[field], after?.[field]]
  const isSame = isDeepStrictEqual(is, was)
  const isRight = is !== undefined && asksAsBefore(is, before, field) && isSane(is, was)
  return {
    holds: after !== undefined && (isSame || isRight),
    evidence: `the ${field} of ${target.service} is ${JSON.stringify(is ?? null)}, and was ${JSON.stringify(was ?? null)}`,
  }
}
