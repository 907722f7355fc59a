/** Judges how many failed checks a repaired probe tolerates. */
import type { ProbeName } from '#spec'

/** The timing of a probe may differ from the usual or the former timing by at most this factor. */
export const MAX_TIMING_FACTOR = 3

/** The defaults of Kubernetes. */
const DEFAULT_FAILURE_THRESHOLD = 3
const DEFAULT_PERIOD_SECONDS = 10

interface ProbeTiming {
  readonly failureThreshold?: number
  readonly periodSeconds?: number
}

/** The number of failed checks in a row that have an effect. */
const effectiveFailures = ({ failureThreshold = DEFAULT_FAILURE_THRESHOLD }: ProbeTiming): number =>
  failureThreshold

/** An outage that is shorter never has an effect. */
const toleratedSeconds = (probe: ProbeTiming): number =>
  (effectiveFailures(probe) - 1) * (probe.periodSeconds ?? DEFAULT_PERIOD_SECONDS)

/**
 * Whether the probe tolerates failures as the former one or a default one does, whichever tolerates less. A failing
 * liveness probe kills the container, so the tolerated time counts. A failing readiness probe removes the pod from its
 * Services until the next success: it may be fast if it tolerates as many failures. The timeout is not judged, because
 * none is shorter than the default.
 */
export const isTolerant = (
  probe: ProbeTiming,
  former: ProbeTiming | undefined,
  field: ProbeName,
): boolean => {
  const needed = (amountOf: (timing: ProbeTiming) => number): number =>
    Math.min(amountOf(former ?? {}), amountOf({}))
  const toleratesOutage = MAX_TIMING_FACTOR * toleratedSeconds(probe) >= needed(toleratedSeconds)
  const toleratesFailures = effectiveFailures(probe) >= needed(effectiveFailures)
  return toleratesOutage || (field === 'readinessProbe' && toleratesFailures)
}
