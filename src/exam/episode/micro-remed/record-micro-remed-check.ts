/** Performs MicroRemed's check after the verdict of an attempt, and adds its result to the record. */
import { FAULT_CATEGORIES, type FaultCategory, type Finding, type Problem, RemediumError } from '#spec'
import type { Equipment } from '../laboratory/equipment.ts'
import type { EventLog } from '../record/event-log.ts'
import { checkLikeMicroRemed } from './check-like-micro-remed.ts'

/** The check is defined for MicroRemed's own faults only, whose names equal their categories. */
const isMicroRemedFault = (fault: string): fault is FaultCategory =>
  FAULT_CATEGORIES.some((name) => name === fault)

const checkAll = async (
  { cluster: { api }, view: { namespace }, time, failure }: Equipment,
  { faults }: Problem,
): Promise<Finding | undefined> => {
  const microRemedFaults = faults.flatMap(({ fault: type, target: { service } }) =>
    isMicroRemedFault(type) ? [{ type, service }] : [],
  )
  if (microRemedFaults.length === 0 || microRemedFaults.length < faults.length) return undefined
  const common = { api, namespace, time, throwIfFailed: () => failure.throwIfSet() }
  const findings = await Promise.all(
    microRemedFaults.map((fault) => checkLikeMicroRemed({ ...common, ...fault })),
  )
  return {
    holds: findings.every(({ holds }) => holds),
    evidence: findings.map(({ evidence }) => evidence).join('; '),
  }
}

/**
 * Adds nothing if the problem has faults that are not MicroRemed's, or if the check cannot be performed: the
 * verdict does not depend on it. Rejects only if the record cannot be written.
 */
export const recordMicroRemedCheck = async (
  equipment: Equipment,
  problem: Problem,
  log: EventLog,
): Promise<void> => {
  // The check runs commands in pods. Their effects do not belong to the record of the attempt.
  equipment.recorder.stop()
  try {
    const finding = await checkAll(equipment, problem)
    if (finding !== undefined) log.add({ type: 'micro-remed-checked', ...finding })
  } catch (error) {
    if (error instanceof RemediumError && error.code === 'record-lost') throw error
  }
}
