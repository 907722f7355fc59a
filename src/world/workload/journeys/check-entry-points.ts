/** Checks before the first request that every entry point that journeys use is open. */
import { type OpenEntryPoint, RemediumError, type Workload } from '#spec'

export const checkEntryPoints = (workload: Workload, entryPoints: readonly OpenEntryPoint[]): void => {
  if (entryPoints.length === 0) throw new RemediumError('bad-argument', 'The system has no open entry point.')
  for (const { name, steps } of workload.journeys)
    for (const { name: step, entryPoint } of steps)
      if (entryPoint !== undefined && !entryPoints.some((open) => open.name === entryPoint))
        throw new RemediumError(
          'bad-argument',
          `The step "${step}" of the journey "${name}" uses the entry point "${entryPoint}"; the open entry points are ${entryPoints.map((open) => open.name).join(', ')}.`,
        )
}
