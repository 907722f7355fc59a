/** Looks for programs of the laboratory among the processes of a pod. */
import type { FaultContext } from '#spec'

/**
 * Whether a program of this name runs in the pod, according to the host: a solver can replace the programs
 * inside the pod. Rejects if the host cannot list them.
 */
export const runsInside = async (
  { programsIn }: Pick<FaultContext, 'programsIn'>,
  pod: string,
  name: string,
): Promise<boolean> => {
  if (programsIn === undefined) throw new Error('the engine cannot list the programs of a pod')
  return (await programsIn(pod)).includes(name)
}
