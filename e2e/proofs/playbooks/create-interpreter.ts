/** The interpreter as simulated clusters use it, on a cluster of the proof. */
import { createRandom } from '#kit'
import { type InterpretedReport, interpretPlaybook } from '#platform/interpret'
import { createCommands } from '#platform/kubectl'
import { createTemplates, UnsafeValue } from '#platform/templates'
import type { VirtualCluster } from './proof-cluster.ts'

export type Interpret = (
  text: string,
  limits?: { readonly timeoutMs?: number; readonly groups?: readonly string[] },
) => Promise<InterpretedReport>

export const createInterpreter = ({ clock, cluster, api, run }: VirtualCluster): Interpret => {
  const { discovery } = cluster
  const options = {
    api,
    discovery,
    clock,
    templates: createTemplates({ now: () => clock.now(), random: createRandom('templates') }),
    markUnsafe: (value: unknown) => new UnsafeValue(value),
    commands: createCommands({ api, discovery, clock, namespace: 'default' }),
  }
  return (text, limits = {}) => run(() => interpretPlaybook(text, { ...options, ...limits }))
}
