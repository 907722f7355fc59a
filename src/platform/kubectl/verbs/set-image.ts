/** kubectl set image. */
import type { Found } from '../client/found.ts'
import type { KubectlCall } from '../client/kubectl-call.ts'
import { KubectlError } from '../client/kubectl-error.ts'
import { type Container, podSpecOf, updateContainers } from './update-containers.ts'

export const setImage = async (
  call: KubectlCall,
  found: Found,
  changes: readonly string[],
): Promise<void> => {
  const { containers, initContainers = [] } = podSpecOf(found)
  const images = new Map<string, string>()
  for (const change of changes) {
    const at = change.indexOf('=')
    const [name, image] = [change.slice(0, at), change.slice(at + 1)]
    const matches = [...containers, ...initContainers].filter((each) => name === '*' || each.name === name)
    if (matches.length === 0) throw new KubectlError(`error: unable to find container named "${name}"`)
    for (const each of matches) images.set(each.name, image)
  }
  const changedOf = (list: readonly Container[]): object[] =>
    list
      .filter(({ name, image }) => images.has(name) && images.get(name) !== image)
      .map(({ name }) => ({ name, image: images.get(name) }))
  await updateContainers(
    call,
    found,
    { containers: changedOf(containers), initContainers: changedOf(initContainers) },
    'image updated',
  )
}
