/** Looks for programs of the laboratory among the processes of a container. */
import type { FaultContext } from '#spec'

/** Uses only the shell: further programs are slow in a container without spare CPU. */
const COUNT =
  'n=0; for f in /proc/[0-9]*/comm; do read -r c 2>/dev/null <$f; [ "$c" = NAME ] && n=$((n+1)); done; echo $n'

/** Whether a program of this name runs in the pod, or the shell fails. Rejects if the shell cannot run. */
export const runsInside = async (
  { api, system, signal, programsIn }: Pick<FaultContext, 'api' | 'system' | 'signal' | 'programsIn'>,
  pod: string,
  name: string,
): Promise<boolean> => {
  if (programsIn !== undefined) return (await programsIn(pod)).includes(name)
  const command = ['sh', '-c', COUNT.replace('NAME', name)]
  const { exitCode, stdout } = await api.exec({ namespace: system.namespace, name: pod }, command, { signal })
  return exitCode !== 0 || stdout.trim() !== '0'
}
