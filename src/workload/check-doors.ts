/** Before anything is sent: whether the doors that journeys go through are open. */
import { type OpenEntryPoint, RemediumError, type Workload } from '../spec/index.ts'

export const checkDoors = (workload: Workload, entryPoints: readonly OpenEntryPoint[]): void => {
  if (entryPoints.length === 0)
    throw new RemediumError('bad-argument', 'There is no entry point to send requests to.')
  for (const { name, steps } of workload.journeys)
    for (const { name: step, entryPoint } of steps)
      if (entryPoint !== undefined && !entryPoints.some((door) => door.name === entryPoint))
        throw new RemediumError(
          'bad-argument',
          `The step "${step}" of the journey "${name}" goes to the entry point "${entryPoint}", which is none of ${entryPoints.map((door) => door.name).join(', ')}.`,
        )
}
