/** Copies the disks of nodes, to which pods write through hostPath volumes, and restores them. */
import { existsSync, mkdirSync } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { removeTree, runChecked } from '#machine/linux'
import type { NodeDisks } from '#platform/engines/reset'
import { nodeDisk } from '#platform/kube'
import { isSameTree } from './is-same-tree.ts'

interface CopyOptions {
  /** The folder of the cluster. */
  folder: string
  nodes: readonly string[]
  /** Environment of helper programs of the cluster. */
  marker: Readonly<Record<string, string>>
}

const isFolder = async (path: string): Promise<boolean> =>
  (await lstat(path).catch(() => undefined))?.isDirectory() === true

/** Removes everything from `folder` except folders that `copy` also contains. */
const removeContents = async (folder: string, copy: string): Promise<void> => {
  for (const { name } of await readdir(folder, { withFileTypes: true })) {
    const [path, counterpart] = [join(folder, name), join(copy, name)]
    if ((await isFolder(path)) && (await isFolder(counterpart))) await removeContents(path, counterpart)
    else await removeTree(path)
  }
}

export const copyNodeDisks = async ({ folder, nodes, marker }: CopyOptions): Promise<NodeDisks> => {
  const copyOf = (node: string): string => join(folder, 'baseline', 'nodes', node)
  const copyTree = (from: string, to: string): Promise<unknown> =>
    runChecked('cp', ['-a', '--', `${from}/.`, to], { environment: marker })
  for (const node of nodes) {
    const disk = nodeDisk(folder, node)
    if (!existsSync(disk)) continue
    mkdirSync(copyOf(node), { recursive: true })
    await copyTree(disk, copyOf(node))
  }
  return {
    async restore() {
      const changed: string[] = []
      for (const node of nodes) {
        const [disk, copy] = [nodeDisk(folder, node), copyOf(node)]
        if (await isSameTree(copy, disk)) continue
        changed.push(node)
        mkdirSync(disk, { recursive: true })
        await removeContents(disk, copy)
        if (existsSync(copy)) await copyTree(copy, disk)
      }
      return changed
    },
  }
}
