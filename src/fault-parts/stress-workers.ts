/** Looks for programs of the laboratory among the processes of a container. */
import type { FaultContext } from '../spec/index.ts'

/** With nothing but the shell: in a container without CPU to spare every program more takes long. */
const COUNT =
  'n=0; for f in /proc/[0-9]*/comm; do read -r c 2>/dev/null <$f; [ "$c" = NAME ] && n=$((n+1)); done; echo $n'

/** Whether one of this name runs there, or the shell does not tell; rejects where nobody can look. */
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
