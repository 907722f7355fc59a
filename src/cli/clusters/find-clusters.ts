/** The clusters of this machine by the names that users give. */
import { type ClusterFolder, listClusterFolders, stateFolder } from '../../engines/local/machine/index.ts'
import { RemediumError } from '../../spec/index.ts'
import { hasControl } from './control-socket.ts'

/**
 * By name or id, also where its process has ended and left it; throws for a name that none has, or one that cannot
 * be commanded.
 */
export const findCluster = (name: string): ClusterFolder => {
  const all = listClusterFolders(stateFolder())
  const living = all.filter(({ alive }) => alive)
  const found = [...living, ...all].find(({ record }) => record.name === name || record.id === name)
  if (found === undefined) {
    throw new RemediumError('bad-argument', `There is no cluster "${name}".`, {
      hint:
        living.length === 0
          ? 'None is running.'
          : `Those there are: ${living.map(({ record }) => record.name).join(', ')}.`,
    })
  }
  if (found.alive && !hasControl(found.folder)) {
    throw new RemediumError(
      'bad-argument',
      `The cluster "${name}" belongs to process ${found.record.owner.pid}, which ends it by itself.`,
    )
  }
  return found
}
