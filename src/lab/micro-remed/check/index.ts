/** MicroRemed's own check of a repair, as published, which a run records beside the verdict. */
import type { CheckContext } from '#exam/episode'
import { FAULT_CATEGORIES, type FaultCategory, type Finding } from '#spec'
import { checkFault } from './check-fault.ts'

/** The check is defined for MicroRemed's own faults only, whose names equal their categories. */
const isMicroRemedFault = (fault: string): fault is FaultCategory =>
  FAULT_CATEGORIES.some((name) => name === fault)

/** Returns undefined for problems without faults, or with faults that are not MicroRemed's. */
export const checkLikeMicroRemed = async ({
  problem: { faults },
  ...context
}: CheckContext): Promise<Finding | undefined> => {
  const microRemedFaults = faults.flatMap(({ fault: type, target: { service } }) =>
    isMicroRemedFault(type) ? [{ type, service }] : [],
  )
  if (microRemedFaults.length === 0 || microRemedFaults.length < faults.length) return undefined
  const findings = await Promise.all(microRemedFaults.map((fault) => checkFault({ ...context, ...fault })))
  return {
    holds: findings.every(({ holds }) => holds),
    evidence: findings.map(({ evidence }) => evidence).join('; '),
  }
}
