/** Judges how many failed checks a repaired probe tolerates. */
import type { ProbeName } from '#spec'

/** The timing of a probe may differ from the usual or the former timing by at most this factor. */
export const MAX_TIMING_FACTOR = 3

/** The defaults of Kubernetes. */
const DEFAULT_FAILURE_THRESHOLD = 3
const DEFAULT_PERIOD_SECONDS = 10

/** A program that has not started after this time does not start. */
const MAX_START_SECONDS = 900
const MAX_START_PERIOD_SECONDS = MAX_TIMING_FACTOR * DEFAULT_PERIOD_SECONDS
/** The delay before the first check, and the time that one check may take. */
const MAX_DELAY_SECONDS = 60

interface ProbeTiming {
  readonly initialDelaySeconds?: number
  readonly timeoutSeconds?: number
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

/**
 * Whether a startup probe leaves a program a third of the default time at least, and does not keep the other probes from running for
 * long: they start when it has succeeded.
 */
export const startsInTime = (probe: ProbeTiming): boolean => {
  const { periodSeconds = DEFAULT_PERIOD_SECONDS, initialDelaySeconds = 0, timeoutSeconds = 1 } = probe
  const seconds = effectiveFailures(probe) * periodSeconds
  return (
    MAX_TIMING_FACTOR * seconds >= DEFAULT_FAILURE_THRESHOLD * DEFAULT_PERIOD_SECONDS &&
    seconds <= MAX_START_SECONDS &&
    periodSeconds <= MAX_START_PERIOD_SECONDS &&
    Math.max(initialDelaySeconds, timeoutSeconds) <= MAX_DELAY_SECONDS
  )
}
