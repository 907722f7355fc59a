/** A laboratory: a cluster with users on it, on which incidents are prepared one at a time. */
import { type Problem, RemediumError } from '#spec'
import { type Incident, type PrepareOptions, prepareIncident } from '../incident.ts'
import { createEpisodeTime } from './episode-time.ts'
import type { Equipment } from './equipment.ts'
import { closeEquipment, type LaboratoryOptions, openEquipment } from './open-equipment.ts'
import { warmUp } from './warm-up.ts'

export interface Laboratory {
  /** Prepares an incident from the problem. The previous incident must have been restored. */
  prepare(problem: Problem, options?: PrepareOptions): Promise<Incident>
  /** Stops the users. The cluster stays open. */
  close(): Promise<void>
}

const prepareEquipment = async (options: LaboratoryOptions): Promise<Equipment> => {
  const equipment = await openEquipment(options)
  try {
    options.onProgress?.('Warming up: running every journey')
    await warmUp(equipment)
  } catch (error) {
    await closeEquipment(equipment)
    throw error
  }
  return equipment
}

export const openLaboratory = async (options: LaboratoryOptions): Promise<Laboratory> => {
  const { run } = createEpisodeTime(options.cluster.clock)
  const equipment = await run(() => prepareEquipment(options))
  const systemName = equipment.system.name
  let current: Incident | undefined
  return {
    async prepare(problem, prepareOptions) {
      if (problem.system !== systemName)
        throw new RemediumError(
          'bad-argument',
          `The problem ${problem.id} needs the system ${problem.system}; this laboratory runs ${systemName}.`,
        )
      if (current?.isRestored === false)
        throw new RemediumError('defect', 'A problem was prepared before the previous one was restored.')
      current = await run(() => prepareIncident(equipment, problem, prepareOptions))
      return current
    },
    close: () => run(() => closeEquipment(equipment)),
  }
}
