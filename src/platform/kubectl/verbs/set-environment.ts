/** kubectl set env. */
import type { Found } from '../client/found.ts'
import type { KubectlCall } from '../client/kubectl-call.ts'
import { podSpecOf, selectContainers, updateContainers } from './update-containers.ts'

export const setEnvironment = async (
  call: KubectlCall,
  found: Found,
  changes: readonly string[],
): Promise<void> => {
  const containers = selectContainers(call, podSpecOf(found).containers)
  if (containers.length === 0) {
    call.err(
      `Warning: ${found.type.kind}/${found.object.metadata.name} does not have any containers matching "${call.flags.text('containers')}"`,
    )
    return
  }
  const changed = containers.flatMap(({ name, env = [] }) => {
    const entries = changes.flatMap((change): object[] => {
      if (!change.includes('=')) {
        const removed = change.slice(0, -1)
        return env.some((each) => each.name === removed) ? [{ $patch: 'delete', name: removed }] : []
      }
      const at = change.indexOf('=')
      const [key, value] = [change.slice(0, at), change.slice(at + 1)]
      const existing = env.find((each) => each.name === key)
      if (existing === undefined) return [{ name: key, value }]
      if (existing.value === value && !('valueFrom' in existing)) return []
      return [{ name: key, value, ...('valueFrom' in existing ? { valueFrom: null } : {}) }]
    })
    return entries.length === 0 ? [] : [{ name, env: entries }]
  })
  await updateContainers(call, found, { containers: changed }, 'env updated')
}
