/** Performs MicroRemed's check for one fault: waits for ready pods, then for observations that pass. */
import type { CheckContext } from '#exam/episode'
import type { FaultCategory, Finding } from '#spec'
import { type CheckedPod, microRemedStatus } from './micro-remed-status.ts'
import { type CheckTarget, observeTarget, type Probe } from './observe-target.ts'

/** 300 s in MicroRemed, whose pods take minutes to start. Here the verdict has already waited for them. */
const LONG_WINDOW_MS = 30_000
/** As in MicroRemed. */
const SHORT_WINDOW_MS = 10_000
const INTERVAL_MS = 2000

type SimpleType = Exclude<FaultCategory, 'pod-config-error'>

export interface CheckOptions extends CheckTarget {
  readonly type: FaultCategory
  readonly time: CheckContext['time']
  readonly throwIfFailed: CheckContext['throwIfFailed']
}

const PROBES: Readonly<Record<SimpleType, Probe>> = {
  'cpu-stress': 'none',
  'memory-stress': 'none',
  'pod-fail': 'none',
  'network-loss': 'ping',
  'network-delay': 'ping',
  'disk-io': 'write',
}

interface Round {
  readonly probe: Probe
  rule(pods: readonly CheckedPod[]): Finding
}

const READINESS_ROUND: Round = {
  probe: 'none',
  rule: (pods) => ({ holds: pods.length > 0 && pods.every(({ isReady }) => isReady), evidence: '' }),
}

/** Repeats rounds until one passes or the window ends; the last round counts. */
const repeat = async (options: CheckOptions, { probe, rule }: Round, windowMs: number): Promise<Finding> => {
  const { time, throwIfFailed } = options
  const end = time.precise() + windowMs
  for (;;) {
    throwIfFailed()
    const finding = await observeTarget(options, probe).then(
      rule,
      (error: Error): Finding => ({ holds: false, evidence: `the API does not answer: ${error.message}` }),
    )
    if (finding.holds || time.precise() + INTERVAL_MS >= end) return finding
    await time.sleep(INTERVAL_MS)
  }
}

/** As in MicroRemed, the rule of the type is applied even if the pods have not become ready in time. */
const check = async (options: CheckOptions, type: SimpleType, windowMs: number): Promise<Finding> => {
  if (type !== 'pod-fail') await repeat(options, READINESS_ROUND, LONG_WINDOW_MS)
  const round: Round = { probe: PROBES[type], rule: (pods) => microRemedStatus(type, pods) }
  return repeat(options, round, windowMs)
}

/** Rejects only if the laboratory is unusable. */
export const checkFault = async (options: CheckOptions): Promise<Finding> => {
  const { type } = options
  if (type === 'pod-config-error') {
    const cpu = await check(options, 'cpu-stress', SHORT_WINDOW_MS)
    return cpu.holds ? check(options, 'memory-stress', SHORT_WINDOW_MS) : cpu
  }
  const isLong = type === 'cpu-stress' || type === 'pod-fail'
  return check(options, type, isLong ? LONG_WINDOW_MS : SHORT_WINDOW_MS)
}
